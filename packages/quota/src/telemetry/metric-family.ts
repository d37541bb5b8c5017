import type { MetricDeclaration } from "./metric-declaration.ts";
import { HistogramSeries, NumberSeries, type Series } from "./metric-series.ts";
import { headerLines, labelPair } from "./text-format.ts";

export type Labels<Label extends string> = Readonly<Record<Label, string>>;

/**
 * All series of one metric. Hot code gets the series of its label set once and keeps it, so that counting is a plain
 * addition.
 */
class MetricFamily<Label extends string, Kind extends Series> {
  readonly #declaration: MetricDeclaration<Label>;
  readonly #make: () => Kind;
  readonly #series = new Map<string, { readonly series: Kind; readonly text: string }>();
  #only: Kind | undefined;

  constructor(declaration: MetricDeclaration<Label>, make: () => Kind) {
    this.#declaration = declaration;
    this.#make = make;
    if (declaration.labels === undefined) this.only.isExposed = true; // as 0 from the start
  }

  /** The series with these labels. It is exposed from its first value on. */
  labels(labels: Labels<Label>): Kind {
    const names = this.#declaration.labels ?? [];
    const id = names.length === 1 ? labels[names[0] as Label] : idOf(names, labels);
    const known = this.#series.get(id);
    if (known !== undefined) return known.series;
    const series = this.#make();
    this.#series.set(id, { series, text: names.map((name) => labelPair(name, labels[name])).join(",") });
    return series;
  }

  /** Drops all series. Values of a series that was obtained before are no longer exposed. */
  reset(): void {
    this.#series.clear();
    this.#only = undefined;
  }

  text(): string {
    const { name } = this.#declaration;
    const shown = [...this.#series.values()].filter(({ series }) => series.isExposed);
    return `${headerLines(this.#declaration)}${shown.map(({ series, text }) => series.lines(name, text)).join("")}`;
  }

  /** The only series of a metric without labels. */
  protected get only(): Kind {
    this.#only ??= this.labels({} as Labels<Label>);
    return this.#only;
  }
}

/** Unique for each label set, because each value is preceded by its length. */
function idOf<Label extends string>(names: readonly Label[], labels: Labels<Label>): string {
  let id = "";
  for (const name of names) id += `${labels[name].length} ${labels[name]}`;
  return id;
}

class NumberFamily<Label extends string> extends MetricFamily<Label, NumberSeries> {
  constructor(declaration: MetricDeclaration<Label>, isCounter: boolean) {
    super(declaration, () => new NumberSeries(isCounter));
  }

  inc(labels: Labels<Label> | number = 1, by = 1): void {
    if (typeof labels === "number") this.only.inc(labels);
    else this.labels(labels).inc(by);
  }
}

export class Counter<Label extends string = never> extends NumberFamily<Label> {
  constructor(declaration: MetricDeclaration<Label>) {
    super(declaration, true);
  }
}

export class Gauge<Label extends string = never> extends NumberFamily<Label> {
  constructor(declaration: MetricDeclaration<Label>) {
    super(declaration, false);
  }

  dec(by = 1): void {
    this.only.inc(-by);
  }
}

export class Histogram<Label extends string = never> extends MetricFamily<Label, HistogramSeries> {
  constructor(declaration: MetricDeclaration<Label>) {
    const { buckets = [] } = declaration;
    super(declaration, () => new HistogramSeries(buckets));
  }

  observe(labels: Labels<Label> | number, value = 0): void {
    if (typeof labels === "number") this.only.observe(labels);
    else this.labels(labels).observe(value);
  }
}
