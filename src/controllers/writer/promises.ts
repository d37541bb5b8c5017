import { pagesOf } from "../../core/ledger/page.ts";
import type { Decision } from "../../core/ledger/settle.ts";

type Reserve = Extract<Decision, { readonly outcome: "reserve" }>;

export function isReserve(decision: Decision): decision is Reserve {
  return decision.outcome === "reserve";
}

/**
 * What one batch promises. Whoever waits for a claim is told once all of its promises stand: on the pages as they are
 * stored, or in the log of a server in this process, where nothing that follows can outlive them.
 */
export class Promises {
  readonly #open: Set<Reserve>;
  readonly #reserved: readonly Reserve[];
  readonly #standing = new Set<string>();
  /** Claims whose promises all stand, and whether those who waited know by this. */
  readonly #told = new Map<string, boolean>();
  readonly #tell: (uid: string) => boolean;

  constructor(reserved: readonly Reserve[], tell: (uid: string) => boolean) {
    this.#reserved = reserved;
    this.#open = new Set(reserved);
    this.#tell = tell;
  }

  /** The promises on the page of this type stand. */
  stands(type: string): void {
    if (this.#standing.has(type)) return;
    this.#standing.add(type);
    for (const reserve of this.#open) {
      if (!isAll(reserve, this.#standing)) continue;
      this.#open.delete(reserve);
      const { uid } = reserve.claim.claim;
      this.#told.set(uid, this.#tell(uid));
    }
  }

  /** The claims all of whose pages are among these. */
  completeOn(pages: ReadonlySet<string>): readonly string[] {
    return this.#reserved.filter((reserve) => isAll(reserve, pages)).map(({ claim }) => claim.claim.uid);
  }

  /** Whether nobody is kept waiting by the answer to this claim. */
  isKnown(uid: string): boolean {
    return this.#told.get(uid) === true;
  }

  /** All claims of which that is so. */
  get known(): readonly string[] {
    return [...this.#told.keys()].filter((uid) => this.isKnown(uid));
  }
}

function isAll({ claim }: Reserve, pages: ReadonlySet<string>): boolean {
  return pagesOf(claim).every((type) => pages.has(type));
}
