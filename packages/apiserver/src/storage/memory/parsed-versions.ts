import type { StoreLimits } from "../store-limits.ts";
import type { TextCompressor } from "./text-compressor.ts";

/** A version that holds what was parsed of it. */
interface ParsedVersion {
  readonly textLength: number;
  letGo(parsed: ParsedVersions): void;
  rest(texts: TextCompressor): void;
}

/**
 * The versions that were written or parsed last, which hold their objects: these take much more room than texts, and
 * are wanted soon or not at all. The oldest goes when there are too many, and is at rest from then on.
 */
export class ParsedVersions {
  readonly #limits: StoreLimits;
  readonly #texts: TextCompressor;
  readonly #held = new Set<ParsedVersion>();
  #chars = 0;

  constructor(limits: StoreLimits, texts: TextCompressor) {
    this.#limits = limits;
    this.#texts = texts;
  }

  add(version: ParsedVersion): void {
    this.#held.add(version);
    this.#chars += version.textLength;
    const { parsedCount, parsedChars } = this.#limits;
    for (const oldest of this.#held) {
      if (this.#held.size <= parsedCount && this.#chars <= parsedChars) return;
      this.remove(oldest);
      oldest.rest(this.#texts);
    }
  }

  /** Lets go of a version before its time: nobody is likely to look at it again. */
  remove(version: ParsedVersion): void {
    if (!this.#held.delete(version)) return;
    this.#chars -= version.textLength;
    version.letGo(this);
  }
}
