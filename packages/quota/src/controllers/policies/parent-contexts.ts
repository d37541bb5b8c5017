import type { PolicyKey } from "../../views/policy-cache.ts";

/** Whether grants of a policy reached the control planes of their parent context. */
export interface ParentContextState {
  readonly reachedCount: number;
  /** The first distinct problems of the others. */
  readonly problems: readonly string[];
  readonly unreachedCount: number;
}

/** How many problems the status of one policy shows. */
const problemsShownMax = 5;
const objectsMax = 100_000;

/**
 * Records which control planes the grant engine could write grants to. A policy names them with an expression over each
 * object, so they are not known before it is evaluated.
 */
export class ParentContexts {
  readonly #problems = new Map<string, Map<string, string>>();
  readonly #listeners = new Set<(policy: PolicyKey) => void>();

  /** The outcome for one object; without a `problem` it succeeded. */
  record(policy: PolicyKey, object: string, problem = ""): void {
    const own = this.#problems.get(keyOf(policy)) ?? new Map<string, string>();
    const before = own.get(object);
    if (before === problem || (before === undefined && own.size >= objectsMax)) return;
    own.set(object, problem);
    this.#problems.set(keyOf(policy), own);
    this.#notify(policy);
  }

  /** The policy no longer renders a grant for the object. */
  forget(policy: PolicyKey, object: string): void {
    const own = this.#problems.get(keyOf(policy));
    if (own?.delete(object) !== true) return;
    if (own.size === 0) this.#problems.delete(keyOf(policy));
    this.#notify(policy);
  }

  of(policy: PolicyKey): ParentContextState {
    const all = [...(this.#problems.get(keyOf(policy))?.values() ?? [])];
    const unreached = all.filter((problem) => problem !== "");
    return {
      reachedCount: all.length - unreached.length,
      problems: [...new Set(unreached)].sort().slice(0, problemsShownMax),
      unreachedCount: unreached.length,
    };
  }

  onChange(listener: (policy: PolicyKey) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #notify(policy: PolicyKey): void {
    for (const listener of this.#listeners) listener(policy);
  }
}

function keyOf({ plane, name }: PolicyKey): string {
  return `${plane}\n${name}`;
}
