/** A claim that stood behind an answer. */
export interface AdmittingClaim {
  readonly uid: string;
  readonly policy: string;
}

/** An object that somebody asks to have created, or changed. */
export interface AdmissionRequest {
  /** Of this request, and of no other. */
  readonly id: string;
  readonly what: string;
  /** Whether the machine that decides about it still runs. */
  readonly isAttended: () => boolean;
}

interface Answer {
  readonly claims: readonly AdmittingClaim[];
  readonly sinceMs: number;
}

/** A create that takes longer than this is not finished any more. */
const landingMsMax = 34_000;

/** Nobody waits longer for an answer, not even with a server that stands still. */
const answerMsMax = 60_000;

/** What doors and people did that the store does not tell. Kept by those who act, read by those who judge. */
export class AdmissionBook {
  readonly #waiting = new Map<string, AdmissionRequest>();
  readonly #allowed = new Map<string, Answer>();
  readonly #begunMs = new Map<string, number>();
  readonly #landed = new Set<string>();
  readonly #endedByHand = new Set<string>();
  readonly #edited = new Set<string>();
  readonly #onAllowed: ((uid: string, claims: readonly AdmittingClaim[]) => void)[] = [];
  #refusedCount = 0;

  /** Called at the moment an answer is taken. */
  whenAllowed(listener: (uid: string, claims: readonly AdmittingClaim[]) => void): void {
    this.#onAllowed.push(listener);
  }

  asked(request: AdmissionRequest): void {
    this.#waiting.set(request.id, request);
  }

  answered(id: string): void {
    this.#waiting.delete(id);
  }

  /** A create or a change began that claims are decided for before these are stored. */
  begun(uid: string, atMs: number): void {
    const beforeMs = this.#begunMs.get(uid);
    if (beforeMs === undefined || atMs - beforeMs > answerMsMax) this.#begunMs.set(uid, atMs);
  }

  /** When the first of those began that may not be over yet. */
  begunMs(uid: string): number | undefined {
    return this.#begunMs.get(uid);
  }

  /** The API server has taken the answer: the object may be stored from now on, until it is, or was dropped. */
  allowed(uid: string, claims: readonly AdmittingClaim[], sinceMs: number): void {
    for (const listener of this.#onAllowed) listener(uid, claims);
    this.#allowed.set(uid, { claims, sinceMs });
  }

  /** The same for an object whose claims are stored together with it. */
  allowedTogether(uid: string, claims: readonly AdmittingClaim[], sinceMs: number): void {
    this.#allowed.set(uid, { claims, sinceMs });
  }

  /** The same for an object that is there already, and needs more by a change. */
  changeAllowed(uid: string, claims: readonly AdmittingClaim[]): void {
    for (const listener of this.#onAllowed) listener(uid, claims);
  }

  /** An answer was taken back before anything was stored by it, and another is asked for. */
  askedAgain(uid: string): void {
    this.#allowed.delete(uid);
  }

  refused(): void {
    this.#refusedCount += 1;
  }

  /** The API server has stored the object, or will not do so any more. */
  landedOrDropped(uid: string): void {
    this.#landed.add(uid);
  }

  /** Somebody deletes a claim that is theirs to delete. */
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

  /** Whether the API server may still store an object. A server that crashed does not, but nobody is told of that. */
  mayLand(uid: string, nowMs: number): boolean {
    const answer = this.#allowed.get(uid);
    return answer !== undefined && !this.#landed.has(uid) && nowMs - answer.sinceMs < landingMsMax;
  }

  /** The claims an object was let in by; undefined when it came another way. */
  claimsBehind(uid: string): readonly AdmittingClaim[] | undefined {
    return this.#allowed.get(uid)?.claims;
  }

  /** Requests that nobody answered, although somebody could. */
  get unanswered(): readonly AdmissionRequest[] {
    return [...this.#waiting.values()].filter(({ isAttended }) => isAttended());
  }

  get counts(): { readonly allowed: number; readonly refused: number } {
    return { allowed: this.#allowed.size, refused: this.#refusedCount };
  }
}
