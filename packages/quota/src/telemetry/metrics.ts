import type { MetricDeclaration } from "./metric-declaration.ts";
import { Counter, Gauge, Histogram, type Labels } from "./metric-family.ts";

/** Somebody else who has metrics, in the text format, at the time of the call. */
export interface MetricSource {
  text(signal: AbortSignal): Promise<string>;
}

type Report = (where: string, error: unknown) => void;
type SetValue<Label extends string> = (labels: Labels<Label>, value: number) => void;

/** Everything that one system measures. There may be several systems in a process, so nothing here is global. */
export class Metrics {
  readonly #families = new Map<string, () => string>();
  readonly #sources: MetricSource[] = [];
  readonly #report: Report;

  /** What cannot be read is told to `report`, and keeps nobody from seeing the rest. */
  constructor(report: Report) {
    this.#report = report;
  }

  counter<const Label extends string = never>(declaration: MetricDeclaration<Label>): Counter<Label> {
    return this.#declared(declaration, new Counter(declaration));
  }

  gauge<const Label extends string = never>(declaration: MetricDeclaration<Label>): Gauge<Label> {
    return this.#declared(declaration, new Gauge(declaration));
  }

  histogram<const Label extends string = never>(declaration: MetricDeclaration<Label>): Histogram<Label> {
    return this.#declared(declaration, new Histogram(declaration));
  }

  /** Looked at only when somebody asks; undefined when there is nothing to tell. */
  read(declaration: MetricDeclaration<never>, value: () => number | undefined): void {
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
    const family = new Gauge(declaration); // whatever it is declared as: it may be less than at the last look
    const text = (): string => {
      family.reset();
      try {
        // What several count under the same labels is the sum of it.
        if (declaration.type === "counter") tell((labels, value) => family.labels(labels).inc(value));
        else tell((labels, value) => family.labels(labels).set(value));
      } catch (error) {
        this.#report(`metric ${declaration.name}`, error);
      }
      return family.text();
    };
    this.#declared(declaration, { text });
  }

  add(source: MetricSource): void {
    this.#sources.push(source);
  }

  /** All of it, in the text format of Prometheus. */
  async text(signal: AbortSignal): Promise<string> {
    const parts = [...this.#families.values()].map((text) => text().trimEnd());
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

  #declared<Family extends { text(): string }>({ name }: Pick<MetricDeclaration, "name">, family: Family): Family {
    if (this.#families.has(name)) throw new Error(`there is a metric ${name} already`);
    this.#families.set(name, () => family.text());
    return family;
  }
}
