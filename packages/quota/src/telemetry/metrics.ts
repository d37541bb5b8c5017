import type { MetricDeclaration } from "./metric-declaration.ts";
import { Counter, Gauge, Histogram, type Labels } from "./metric-family.ts";

/** Provides further metrics in the text format for each scrape. */
export interface MetricSource {
  text(signal: AbortSignal): Promise<string>;
}

type Report = (where: string, error: unknown) => void;
type SetValue<Label extends string> = (labels: Labels<Label>, value: number) => void;

/** The metrics of one system. Nothing is global, because tests run several systems in one process. */
export class Metrics {
  readonly #families = new Map<string, () => string>();
  readonly #sources: MetricSource[] = [];
  readonly #report: Report;

  /** A metric that cannot be read is reported, and does not hide the others. */
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

  /** A metric that is read for each scrape. Undefined: no sample. */
  read(declaration: MetricDeclaration<never>, value: () => number | undefined): void {
    this.readEach(declaration, (set) => {
      const now = value();
      if (now !== undefined) set({}, now);
    });
  }

  /** The same for several label sets. A label set that is not set again disappears. */
  readEach<const Label extends string>(
    declaration: MetricDeclaration<Label>,
    collect: (set: SetValue<Label>) => void,
  ): void {
    const family = new Gauge(declaration); // also for counters, because values are read, not incremented
    const text = (): string => {
      family.reset();
      try {
        // Counters with the same labels are summed up.
        if (declaration.type === "counter") collect((labels, value) => family.labels(labels).inc(value));
        else collect((labels, value) => family.labels(labels).set(value));
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

  /** All metrics in the Prometheus text format. */
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
    if (this.#families.has(name)) throw new Error(`metric ${name} is already declared`);
    this.#families.set(name, () => family.text());
    return family;
  }
}
