import type { StoreLimits } from "../store-limits.ts";
import type { TextCompressor } from "./text-compressor.ts";

/** A version that caches its parsed object. */
interface ParsedVersion {
  readonly textLength: number;
  dropParsed(parsed: ParsedVersions): void;
  compress(texts: TextCompressor): void;
}

/**
 * A cache of parsed objects, for the versions written or parsed last. Parsed objects take much more memory than texts,
 * and are needed soon or never. The oldest is evicted when there are too many, and its text is compressed.
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
      oldest.compress(this.#texts);
    }
  }

  /** Evicts a version early: it is unlikely to be read again. */
  remove(version: ParsedVersion): void {
    if (!this.#held.delete(version)) return;
    this.#chars -= version.textLength;
    version.dropParsed(this);
  }
}
