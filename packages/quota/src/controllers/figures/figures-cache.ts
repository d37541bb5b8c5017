import type { ClaimPart } from "../../core/ledger/claim-knowledge.ts";
import type { ShortPart } from "../../core/ledger/settle.ts";
import { tryClaims } from "../../core/ledger/trial.ts";
import type { Figures, TypeLedger } from "../../core/ledger/type-ledger.ts";
import { type BucketKey, bucketId, type FiguresObserver } from "../writer/buckets/figures-observer.ts";

interface CachedFigures {
  readonly key: BucketKey;
  readonly read: () => TypeLedger | undefined;
  readonly atMs: number;
}

/** The current figures of the bucket writer, for other components in the same process. Decisions do not use it. */
export class FiguresCache implements FiguresObserver {
  readonly #entries = new Map<string, CachedFigures>();
  readonly #elapsedMs: () => number;

  constructor(elapsedMs: () => number) {
    this.#elapsedMs = elapsedMs;
  }

  onFiguresChanged(key: BucketKey, read: () => TypeLedger | undefined): void {
    if (read() === undefined) this.#entries.delete(bucketId(key));
    else this.#entries.set(bucketId(key), { key, read, atMs: this.#elapsedMs() });
  }

  /** Undefined if this process has no bucket for the key. */
  figuresOf(key: BucketKey, dimensionKey: string): Figures | undefined {
    const ledger = this.#ledgerOf(key);
    return dimensionKey === "" ? ledger?.figures() : ledger?.figuresFor(dimensionKey);
  }

  /**
   * Tries hypothetical claims and returns what would not fit, claim by claim: each is tried as a whole, on top of those
   * before it that fit. Undefined if this process lacks a bucket that they request from.
   */
  shortOf(
    owner: Omit<BucketKey, "resourceType">,
    claims: readonly (readonly ClaimPart[])[],
  ): readonly (readonly ShortPart[])[] | undefined {
    const ledgers = new Map<string, TypeLedger>();
    for (const { resourceType } of claims.flat()) {
      const ledger = ledgers.get(resourceType) ?? this.#ledgerOf({ ...owner, resourceType });
      if (ledger === undefined) return undefined;
      ledgers.set(resourceType, ledger);
    }
    return tryClaims(claims, (resourceType) => ledgers.get(resourceType) as TypeLedger);
  }

  /** Milliseconds since each bucket was last written or recounted: since then its figures are known to be correct. */
  *ages(): Generator<readonly [BucketKey, number]> {
    const nowMs = this.#elapsedMs();
    for (const [id, { key, read, atMs }] of this.#entries) {
      if (read() === undefined) this.#entries.delete(id);
      else yield [key, nowMs - atMs];
    }
  }

  /** Call it when the bucket writer stops. */
  clear(): void {
    this.#entries.clear();
  }

  #ledgerOf(key: BucketKey): TypeLedger | undefined {
    const id = bucketId(key);
    const ledger = this.#entries.get(id)?.read();
    if (ledger === undefined) this.#entries.delete(id);
    return ledger;
  }
}
