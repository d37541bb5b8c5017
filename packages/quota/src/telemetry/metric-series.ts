import { numberText, sampleLine } from "./text-format.ts";

/** The values of one metric with one label set. */
export interface Series {
  /** Whether the series is exposed. A series without any value is not. */
  isExposed: boolean;
  lines(name: string, labels: string): string;
}

/** The value of a counter or gauge. */
export class NumberSeries implements Series {
  isExposed = false;
  #value = 0;
  readonly #isCounter: boolean;

  constructor(isCounter: boolean) {
    this.#isCounter = isCounter;
  }

  inc(by = 1): void {
    if (this.#isCounter && !(by >= 0)) throw new RangeError(`a counter cannot be incremented by ${by}`);
    this.isExposed = true;
    this.#value += by;
  }

  set(value: number): void {
    this.isExposed = true;
    this.#value = value;
  }

  lines(name: string, labels: string): string {
    return sampleLine(name, labels, this.#value);
  }
}

export class HistogramSeries implements Series {
  isExposed = false;
  #sum = 0;
  /** Not cumulative. The last one is for values beyond all bounds. */
  readonly #counts: number[];
  readonly #bounds: readonly number[];

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  observe(value: number): void {
    if (!Number.isFinite(value)) throw new RangeError(`${value} cannot be observed`);
    const bounds = this.#bounds;
    let at = 0;
    while (at < bounds.length && value > (bounds[at] as number)) at += 1;
    this.#counts[at] = (this.#counts[at] as number) + 1;
    this.#sum += value;
    this.isExposed = true;
  }

  lines(name: string, labels: string): string {
    let count = 0;
    const buckets = this.#counts.map((each, at) => {
      count += each;
      const bound = `le="${numberText(this.#bounds[at] ?? Number.POSITIVE_INFINITY)}"`;
      return sampleLine(`${name}_bucket`, labels === "" ? bound : `${bound},${labels}`, count);
    });
    return `${buckets.join("")}${sampleLine(`${name}_sum`, labels, this.#sum)}${sampleLine(`${name}_count`, labels, count)}`;
  }
}
