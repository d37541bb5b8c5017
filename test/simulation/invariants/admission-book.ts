/** A claim that stood behind an answer. */
export interface AdmittingClaim {
  readonly uid: string;
  readonly policy: string;
}

/** An object that somebody asks to have created. */
export interface AdmissionRequest {
  /** That the object has, or would have. */
  readonly uid: string;
  readonly what: string;
  /** Whether the machine that decides about it still runs. */
  readonly isAttended: () => boolean;
}

interface Entry extends AdmissionRequest {
  claims: readonly AdmittingClaim[];
  state: "asked" | "allowed" | "refused";
  /** Whether the API server may still store it. */
  mayLand: boolean;
}

/** What doors and people did that the store does not tell. Kept by those who act, read by those who judge. */
export class AdmissionBook {
  readonly #entries = new Map<string, Entry>();
  readonly #endedByHand = new Set<string>();
  readonly #edited = new Set<string>();
  readonly #onAllowed: ((uid: string, claims: readonly AdmittingClaim[]) => void)[] = [];

  /** Called at the moment an answer is given. */
  whenAllowed(listener: (uid: string, claims: readonly AdmittingClaim[]) => void): void {
    this.#onAllowed.push(listener);
  }

  asked(request: AdmissionRequest): void {
    this.#entries.set(request.uid, { ...request, claims: [], state: "asked", mayLand: false });
  }

  /** From now on the object may be stored, until it is, or was dropped. */
  allowed(uid: string, claims: readonly AdmittingClaim[]): void {
    for (const listener of this.#onAllowed) listener(uid, claims);
    const entry = this.#entries.get(uid);
    if (entry === undefined) throw new Error(`nobody asked for ${uid}`);
    Object.assign(entry, { claims, state: "allowed", mayLand: true });
  }

  refused(uid: string): void {
    const entry = this.#entries.get(uid);
    if (entry !== undefined) entry.state = "refused";
  }

  /** The API server has stored the object, or will not do so any more. */
  landedOrDropped(uid: string): void {
    const entry = this.#entries.get(uid);
    if (entry !== undefined) entry.mayLand = false;
  }

  /** Somebody deletes a claim that is not theirs. */
  endedByHand(claimUid: string): void {
    this.#endedByHand.add(claimUid);
  }

  /** Somebody changes an object, which may end what policies ask for it. */
  edited(uid: string): void {
    this.#edited.add(uid);
  }

  isEndedByHand(claimUid: string): boolean {
    return this.#endedByHand.has(claimUid);
  }

  isEdited(uid: string): boolean {
    return this.#edited.has(uid);
  }

  mayLand(uid: string): boolean {
    return this.#entries.get(uid)?.mayLand === true;
  }

  /** The claims an object was let in by; undefined when it came another way. */
  claimsBehind(uid: string): readonly AdmittingClaim[] | undefined {
    const entry = this.#entries.get(uid);
    return entry?.state === "allowed" ? entry.claims : undefined;
  }

  /** Requests that nobody answered, although somebody could. */
  get unanswered(): readonly AdmissionRequest[] {
    return [...this.#entries.values()].filter(({ state, isAttended }) => state === "asked" && isAttended());
  }

  get counts(): Readonly<Record<"asked" | "allowed" | "refused", number>> {
    const counts = { asked: 0, allowed: 0, refused: 0 };
    for (const { state } of this.#entries.values()) counts[state] += 1;
    return counts;
  }
}
