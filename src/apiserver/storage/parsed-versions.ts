import type { StoreLimits } from "./store-limits.ts";

/** A version that holds what was parsed of it. */
interface ParsedVersion {
  readonly text: string;
  letGo(parsed: ParsedVersions): void;
}

/**
 * The versions that were written or parsed last, which hold their objects: these take much more room than texts, and
 * are wanted soon or not at all. In two halves, so that one more costs next to nothing; the older one goes as a whole.
 */
export class ParsedVersions {
  readonly #limits: StoreLimits;
  #older: readonly ParsedVersion[] = [];
  #newer: ParsedVersion[] = [];
  #newerChars = 0;

  constructor(limits: StoreLimits) {
    this.#limits = limits;
  }

  add(version: ParsedVersion): void {
    this.#newer.push(version);
    this.#newerChars += version.text.length;
    const { parsedCount, parsedChars } = this.#limits;
    if (this.#newer.length * 2 >= parsedCount || this.#newerChars * 2 >= parsedChars) this.#turn();
  }

  #turn(): void {
    for (const version of this.#older) version.letGo(this);
    this.#older = this.#newer;
    this.#newer = [];
    this.#newerChars = 0;
  }
}
