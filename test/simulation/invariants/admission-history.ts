/** A claim that admitted an object. */
export interface AdmittingClaim {
  readonly uid: string;
  readonly policy: string;
}

/** A create or update in admission. */
export interface AdmissionRequest {
  /** Unique for each request. */
  readonly id: string;
  readonly what: string;
  /** Whether the machine that runs admission has not crashed since. */
  readonly isServerAlive: () => boolean;
}

interface AdmittedObject {
  readonly claims: readonly AdmittingClaim[];
  readonly sinceMs: number;
}

/** The API server does not store an object that was admitted longer ago. */
const storeMsMax = 34_000;

/** Upper bound of an admission request, pauses of the server included. */
const answerMsMax = 60_000;

/** Events that the stored state does not show: admission and deliberate edits. Actors record them, invariants read them. */
export class AdmissionHistory {
  readonly #unanswered = new Map<string, AdmissionRequest>();
  readonly #admitted = new Map<string, AdmittedObject>();
  readonly #startedMs = new Map<string, number>();
  readonly #settled = new Set<string>();
  readonly #deletedByActor = new Set<string>();
  readonly #edited = new Set<string>();
  readonly #admittedListeners: ((uid: string, claims: readonly AdmittingClaim[]) => void)[] = [];

  /** Calls the listener when the API server receives the response of admission. */
  onObjectAdmitted(listener: (uid: string, claims: readonly AdmittingClaim[]) => void): void {
    this.#admittedListeners.push(listener);
  }

  requestStarted(request: AdmissionRequest): void {
    this.#unanswered.set(request.id, request);
  }

  requestAnswered(id: string): void {
    this.#unanswered.delete(id);
  }

  /** Records the start of a create or update whose claims are decided before they are stored. */
  decisionStarted(uid: string, atMs: number): void {
    const beforeMs = this.#startedMs.get(uid);
    if (beforeMs === undefined || atMs - beforeMs > answerMsMax) this.#startedMs.set(uid, atMs);
  }

  /** Start of the earliest such request that may still be running. */
  decisionStartedMs(uid: string): number | undefined {
    return this.#startedMs.get(uid);
  }

  /** Records that admission allowed a create. The object may be stored from now on, until `objectSettled`. */
  objectAdmitted(uid: string, claims: readonly AdmittingClaim[], sinceMs: number): void {
    for (const listener of this.#admittedListeners) listener(uid, claims);
    this.#admitted.set(uid, { claims, sinceMs });
  }

  /** As `objectAdmitted`, for an object whose claims are stored in the same transaction. */
  objectAdmittedWithClaims(uid: string, claims: readonly AdmittingClaim[], sinceMs: number): void {
    this.#admitted.set(uid, { claims, sinceMs });
  }

  /** Records that admission allowed an update that needs more quota. */
  updateAdmitted(uid: string, claims: readonly AdmittingClaim[]): void {
    for (const listener of this.#admittedListeners) listener(uid, claims);
  }

  /** Records that the server discarded the response and asks admission again. */
  admissionRetried(uid: string): void {
    this.#admitted.delete(uid);
  }

  /** Records that the API server has stored the object, or will not store it. */
  objectSettled(uid: string): void {
    this.#settled.add(uid);
  }

  /** Records that an actor deletes a claim on purpose. */
  claimDeletedByActor(claimUid: string): void {
    this.#deletedByActor.add(claimUid);
  }

  /** Records that an actor edits an object, which may change what policies require for it. */
  objectEdited(uid: string): void {
    this.#edited.add(uid);
  }

  isClaimDeletedByActor(claimUid: string): boolean {
    return this.#deletedByActor.has(claimUid);
  }

  isObjectEdited(uid: string): boolean {
    return this.#edited.has(uid);
  }

  /** Whether the API server may still store an object. A crashed server does not, but this is not recorded everywhere. */
  mayStillBeStored(uid: string, nowMs: number): boolean {
    const admitted = this.#admitted.get(uid);
    return admitted !== undefined && !this.#settled.has(uid) && nowMs - admitted.sinceMs < storeMsMax;
  }

  /** The claims that admitted an object; undefined if it did not go through admission. */
  admittingClaims(uid: string): readonly AdmittingClaim[] | undefined {
    return this.#admitted.get(uid)?.claims;
  }

  /** Requests without an answer, except those on crashed machines. */
  get unanswered(): readonly AdmissionRequest[] {
    return [...this.#unanswered.values()].filter(({ isServerAlive }) => isServerAlive());
  }
}
