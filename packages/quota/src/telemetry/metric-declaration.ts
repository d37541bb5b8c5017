/** Declares a metric. The reference page is generated from declarations. */
export interface MetricDeclaration<Label extends string = string> {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly labels?: readonly Label[];
  /** Upper bounds of a histogram. */
  readonly buckets?: readonly number[];
}

export type MetricTable = Readonly<Record<string, MetricDeclaration>>;

/** A section of the reference page. */
export interface MetricSection {
  readonly title: string;
  /** Introduction to the metrics of the section. */
  readonly about: string;
  readonly metrics: readonly MetricDeclaration[];
}
