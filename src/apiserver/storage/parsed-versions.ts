import type { StoreLimits } from "./store-limits.ts";

/** A version that holds what was parsed of it. */
interface ParsedVersion {
  readonly text: string;
  letGo(parsed: ParsedVersions): void;
}

/**
 * The versions that were written or parsed last, which hold their objects: these take much more room than texts, and
 * are wanted soon or not at all. The oldest goes when there are too many.
 */
export class ParsedVersions {
  readonly #limits: StoreLimits;
  readonly #held = new Set<ParsedVersion>();
  #chars = 0;

  constructor(limits: StoreLimits) {
    this.#limits = limits;
  }

  add(version: ParsedVersion): void {
    this.#held.add(version);
    this.#chars += version.text.length;
    const { parsedCount, parsedChars } = this.#limits;
    for (const oldest of this.#held) {
      if (this.#held.size <= parsedCount && this.#chars <= parsedChars) return;
      this.remove(oldest);
    }
  }

  /** Lets go of a version before its time: nobody is likely to look at it again. */
  remove(version: ParsedVersion): void {
    if (!this.#held.delete(version)) return;
    this.#chars -= version.text.length;
    version.letGo(this);
  }
}
