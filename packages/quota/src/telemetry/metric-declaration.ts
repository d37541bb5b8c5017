/** What is known of a metric before anything is measured. Pages and dashboards are made from it. */
export interface MetricDeclaration<Label extends string = string> {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly labels?: readonly Label[];
  /** Upper bounds, of a histogram. */
  readonly buckets?: readonly number[];
}

export type MetricTable = Readonly<Record<string, MetricDeclaration>>;

/** A part of the system, and what it measures. */
export interface MetricSection {
  readonly title: string;
  /** What a reader should know of all of them. */
  readonly about: string;
  readonly metrics: readonly MetricDeclaration[];
}
