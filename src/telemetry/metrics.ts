import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { MetricDeclaration } from "./metric-declaration.ts";

/** Somebody else who has metrics, in the text format, at the time of the call. */
export interface MetricSource {
  text(signal: AbortSignal): Promise<string>;
}

type Report = (where: string, error: unknown) => void;
type SetValue<Label extends string> = (labels: Readonly<Record<Label, string>>, value: number) => void;

/** Everything that one system measures. There may be several systems in a process, so nothing here is global. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #sources: MetricSource[] = [];
  readonly #report: Report;

  /** What cannot be read is told to `report`, and keeps nobody from seeing the rest. */
  constructor(report: Report) {
    this.#report = report;
  }

  counter<const Label extends string>(declaration: MetricDeclaration<Label>): Counter<Label> {
    return new Counter<Label>(this.#declare(declaration));
  }

  gauge<const Label extends string>(declaration: MetricDeclaration<Label>): Gauge<Label> {
    return new Gauge<Label>(this.#declare(declaration));
  }

  histogram<const Label extends string>(declaration: MetricDeclaration<Label>): Histogram<Label> {
    const { buckets = [] } = declaration;
    return new Histogram<Label>({ ...this.#declare(declaration), buckets: [...buckets] });
  }

  /** Looked at only when somebody asks; undefined when there is nothing to tell. */
  read(declaration: MetricDeclaration, value: () => number | undefined): void {
    this.readEach(declaration, (set) => {
      const now = value();
      if (now !== undefined) set({}, now);
    });
  }

  /** The same, for several values. What is not told again is gone. */
  readEach<const Label extends string>(
    declaration: MetricDeclaration<Label>,
    tell: (set: SetValue<Label>) => void,
  ): void {
    const configuration = this.#declare(declaration);
    const collected =
      declaration.type === "counter"
        ? new Counter<Label>({ ...configuration, collect: () => replace() })
        : new Gauge<Label>({ ...configuration, collect: () => replace() });
    const put: SetValue<Label> = (labels, value) =>
      collected instanceof Counter ? collected.inc(labels, value) : collected.set(labels, value);
    const replace = (): void => {
      // With labels, nothing is left. Without, a nought is, which is told over.
      collected.reset();
      if (declaration.labels === undefined) collected.remove();
      try {
        tell(put);
      } catch (error) {
        this.#report(`metric ${declaration.name}`, error);
      }
    };
  }

  add(source: MetricSource): void {
    this.#sources.push(source);
  }

  /** All of it, in the text format of Prometheus. */
  async text(signal: AbortSignal): Promise<string> {
    const parts = [(await this.#registry.metrics()).trimEnd()];
    for (const source of this.#sources) {
      signal.throwIfAborted();
      parts.push((await this.#textOf(source, signal)).trimEnd());
    }
    return `${parts.filter((part) => part !== "").join("\n")}\n`;
  }

  async #textOf(source: MetricSource, signal: AbortSignal): Promise<string> {
    try {
      return await source.text(signal);
    } catch (error) {
      signal.throwIfAborted();
      this.#report("metrics", error);
      return "";
    }
  }

  #declare<Label extends string>({ name, help, labels = [] }: MetricDeclaration<Label>) {
    return { name, help, labelNames: [...labels], registers: [this.#registry] };
  }
}
