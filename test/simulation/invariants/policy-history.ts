import type { QuotaChange } from "./quota-truth.ts";
import type { StoredPolicy } from "./stored-policy.ts";

/** Changes and readiness of claim policies by name. Policies of different planes have different names here. */
export class PolicyHistory {
  readonly #changedMs = new Map<string, number>();
  readonly #changeCount = new Map<string, number>();
  readonly #readyMs = new Map<string, number>();

  take(change: QuotaChange): void {
    if (change.about !== "policy") return;
    const { before, after, atMs } = change;
    const name = (after ?? before)?.name ?? "";
    if (before?.specText !== after?.specText || before?.uid !== after?.uid) this.#changed(name, atMs);
    if (after === undefined || !isInEffect(after)) this.#readyMs.delete(name);
    else if (!this.#readyMs.has(name)) this.#readyMs.set(name, atMs);
  }

  /** Whether a policy has not changed since a time. */
  isUnchangedSince(name: string, sinceMs: number): boolean {
    return (this.#changedMs.get(name) ?? Number.NEGATIVE_INFINITY) <= sinceMs;
  }

  /** Whether a policy has never changed since its creation. */
  isOriginal(name: string): boolean {
    return (this.#changeCount.get(name) ?? 0) <= 1;
  }

  /** Undefined while the policy is not ready or not enforced. */
  readySinceMs(name: string): number | undefined {
    return this.#readyMs.get(name);
  }

  #changed(name: string, atMs: number): void {
    this.#changedMs.set(name, atMs);
    this.#changeCount.set(name, (this.#changeCount.get(name) ?? 0) + 1);
  }
}

export function isInEffect({ isReady, isEnforced }: StoredPolicy): boolean {
  return isReady && isEnforced;
}
