import type { PolicyPlace } from "../../views/watched-policies.ts";

/** What is known of the control planes that a policy grants in. */
export interface ParentKnowledge {
  readonly reachedCount: number;
  /** Why others were not, the first of them; of one problem that several objects have, one. */
  readonly problems: readonly string[];
  readonly unreachedCount: number;
}

/** What there is to say of one policy, for people; beyond that nothing is remembered. */
const problemsShownMax = 5;
const objectsMax = 100_000;

/**
 * Which control planes could be reached, by what the grant engine met when it wrote there. A policy names them by an
 * expression over each object, so nobody can tell before.
 */
export class ParentContexts {
  readonly #problems = new Map<string, Map<string, string>>();
  readonly #listeners = new Set<(policy: PolicyPlace) => void>();

  /** What came of it for one object; nothing is wrong when `problem` is left out. */
  note(policy: PolicyPlace, object: string, problem = ""): void {
    const own = this.#problems.get(keyOf(policy)) ?? new Map<string, string>();
    const before = own.get(object);
    if (before === problem || (before === undefined && own.size >= objectsMax)) return;
    own.set(object, problem);
    this.#problems.set(keyOf(policy), own);
    this.#tell(policy);
  }

  /** The policy no longer grants anything for the object. */
  forget(policy: PolicyPlace, object: string): void {
    const own = this.#problems.get(keyOf(policy));
    if (own?.delete(object) !== true) return;
    if (own.size === 0) this.#problems.delete(keyOf(policy));
    this.#tell(policy);
  }

  of(policy: PolicyPlace): ParentKnowledge {
    const all = [...(this.#problems.get(keyOf(policy))?.values() ?? [])];
    const unreached = all.filter((problem) => problem !== "");
    return {
      reachedCount: all.length - unreached.length,
      problems: [...new Set(unreached)].sort().slice(0, problemsShownMax),
      unreachedCount: unreached.length,
    };
  }

  onChange(listener: (policy: PolicyPlace) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #tell(policy: PolicyPlace): void {
    for (const listener of this.#listeners) listener(policy);
  }
}

function keyOf({ plane, name }: PolicyPlace): string {
  return `${plane}\n${name}`;
}
