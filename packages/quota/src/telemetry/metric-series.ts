import { numberText, sampleLine } from "./text-format.ts";

/** What is measured under one name with one set of labels. */
export interface Series {
  /** Whether there is anything to show: somebody may hold a series that nothing was ever counted in. */
  isSeen: boolean;
  lines(name: string, labels: string): string;
}

/** A number that goes up, and where it is a gauge also down. */
export class NumberSeries implements Series {
  isSeen = false;
  #value = 0;
  readonly #isCounter: boolean;

  constructor(isCounter: boolean) {
    this.#isCounter = isCounter;
  }

  inc(by = 1): void {
    if (this.#isCounter && !(by >= 0)) throw new RangeError(`a counter goes up, not by ${by}`);
    this.isSeen = true;
    this.#value += by;
  }

  set(value: number): void {
    this.isSeen = true;
    this.#value = value;
  }

  lines(name: string, labels: string): string {
    return sampleLine(name, labels, this.#value);
  }
}

/** How often values were how large. */
export class HistogramSeries implements Series {
  isSeen = false;
  #sum = 0;
  /** Of each bucket alone; the last is for what is beyond all bounds. */
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
    this.isSeen = true;
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
