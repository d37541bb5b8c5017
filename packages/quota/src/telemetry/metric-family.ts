import type { MetricDeclaration } from "./metric-declaration.ts";
import { HistogramSeries, NumberSeries, type Series } from "./metric-series.ts";
import { headerLines, labelPair } from "./text-format.ts";

export type Labels<Label extends string> = Readonly<Record<Label, string>>;

/**
 * What is measured under one name. Whoever counts often asks for the series of its labels once and holds it: to count is
 * then an addition.
 */
class MetricFamily<Label extends string, Kind extends Series> {
  readonly #declaration: MetricDeclaration<Label>;
  readonly #make: () => Kind;
  readonly #series = new Map<string, { readonly series: Kind; readonly text: string }>();
  #only: Kind | undefined;

  constructor(declaration: MetricDeclaration<Label>, make: () => Kind) {
    this.#declaration = declaration;
    this.#make = make;
    if (declaration.labels === undefined) this.only.isSeen = true; // as nought, before anything happens
  }

  /** The series with these labels. It is shown once something was counted in it. */
  labels(labels: Labels<Label>): Kind {
    const names = this.#declaration.labels ?? [];
    const id = names.length === 1 ? labels[names[0] as Label] : idOf(names, labels);
    const known = this.#series.get(id);
    if (known !== undefined) return known.series;
    const series = this.#make();
    this.#series.set(id, { series, text: names.map((name) => labelPair(name, labels[name])).join(",") });
    return series;
  }

  /** Forgets all series; whoever holds one counts in vain. */
  reset(): void {
    this.#series.clear();
    this.#only = undefined;
  }

  text(): string {
    const { name } = this.#declaration;
    const shown = [...this.#series.values()].filter(({ series }) => series.isSeen);
    return `${headerLines(this.#declaration)}${shown.map(({ series, text }) => series.lines(name, text)).join("")}`;
  }

  /** Without labels there is one series. */
  protected get only(): Kind {
    this.#only ??= this.labels({} as Labels<Label>);
    return this.#only;
  }
}

/** No two sets of labels have the same, whatever is in their values. */
function idOf<Label extends string>(names: readonly Label[], labels: Labels<Label>): string {
  let id = "";
  for (const name of names) id += `${labels[name].length} ${labels[name]}`;
  return id;
}

/** A number for each set of labels. */
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
