import type { QuotaChange } from "./quota-truth.ts";
import type { TruePolicy } from "./true-policy.ts";

/** When claim policies were changed, and since when they are at work. By name: no two planes have one of the same name. */
export class PolicyHistory {
  readonly #changedMs = new Map<string, number>();
  readonly #changeCount = new Map<string, number>();
  readonly #readyMs = new Map<string, number>();

  take(change: QuotaChange): void {
    if (change.about !== "policy") return;
    const { before, after, atMs } = change;
    const name = (after ?? before)?.name ?? "";
    if (before?.specText !== after?.specText || before?.uid !== after?.uid) this.#changed(name, atMs);
    if (after === undefined || !isAtWork(after)) this.#readyMs.delete(name);
    else if (!this.#readyMs.has(name)) this.#readyMs.set(name, atMs);
  }

  /** Whether a policy is what it was at that time. */
  isUnchangedSince(name: string, sinceMs: number): boolean {
    return (this.#changedMs.get(name) ?? Number.NEGATIVE_INFINITY) <= sinceMs;
  }

  /** Whether a policy is what it was made as. */
  isOriginal(name: string): boolean {
    return (this.#changeCount.get(name) ?? 0) <= 1;
  }

  /** Undefined while it is not at work. */
  readySinceMs(name: string): number | undefined {
    return this.#readyMs.get(name);
  }

  #changed(name: string, atMs: number): void {
    this.#changedMs.set(name, atMs);
    this.#changeCount.set(name, (this.#changeCount.get(name) ?? 0) + 1);
  }
}

export function isAtWork({ isReady, isEnforced }: TruePolicy): boolean {
  return isReady && isEnforced;
}
