import { type DisplayContext, deniedStatus, grantedStatus } from "../../../core/ledger/decision-status.ts";
import type { ShortPart } from "../../../core/ledger/settle.ts";
import type { ResourceClaim } from "../../../core/resources/resource-claim.ts";
import { ClaimRecords } from "../../../views/claim-record.ts";
import type { ConsumerState, OpenEntry } from "../consumer-state.ts";
import type { WriterDeps } from "../writer-deps.ts";
import { decidedStatus, type Invalidity, invalidStatus, type StatusDetails } from "./claim-status.ts";
import { displayContext, statusDetails } from "./display-context.ts";

const triesMax = 8;

/** Writes decisions into the status of claims, and then into the consumer state. */
export class ClaimStatusWriter {
  readonly #state: ConsumerState;
  readonly #deps: WriterDeps;
  readonly #signal: AbortSignal;

  constructor(state: ConsumerState, deps: WriterDeps, signal: AbortSignal) {
    this.#state = state;
    this.#deps = deps;
    this.#signal = signal;
  }

  /** Grants a claim whose reservations are stored in all of its buckets. */
  async commit(uid: string): Promise<void> {
    const written = await this.#persist(uid, ({ claim }) => {
      const decision = grantedStatus(claim.requests, this.#context);
      return decidedStatus(claim, decision, this.#details(claim));
    });
    if (written === undefined) return;
    this.#state.learn(uid, { state: "granted", parts: written.open.parts });
    this.#onDecided("granted", written, "");
  }

  /** Denies a claim; writes no bucket. */
  async deny(uid: string, short: readonly ShortPart[]): Promise<void> {
    let message = "";
    const written = await this.#persist(uid, ({ claim }) => {
      const decision = deniedStatus(claim.requests, short, this.#context);
      message = decision.condition.message;
      return decidedStatus(claim, decision, this.#details(claim));
    });
    if (written === undefined) return;
    this.#state.learn(uid, { state: "denied" });
    this.#onDecided("denied", written, message);
  }

  /** Says why a claim cannot be decided at present. It stays open. */
  async markInvalid(uid: string, why: Invalidity): Promise<void> {
    await this.#persist(uid, ({ claim }) => invalidStatus(claim, why, this.#details(claim)));
  }

  /** Retries on conflicts. Returns the entry that was written; undefined if the claim is gone or its status is current. */
  async #persist(uid: string, statusOf: (entry: OpenEntry) => object | undefined): Promise<OpenEntry | undefined> {
    const { leadership, claims } = this.#deps;
    for (let tries = 0; tries < triesMax; tries += 1) {
      const entry = this.#state.entry(uid);
      const status = entry === undefined ? undefined : statusOf(entry);
      if (entry === undefined || status === undefined) return undefined;
      leadership.fence();
      const result = await claims.write(entry.key, { claim: entry.claim, status }, this.#signal);
      if (result.outcome === "written") return entry;
      if (result.outcome === "gone") this.#onGone(uid);
      else this.#state.observe(entry.key, new ClaimRecords().of(result.claim));
    }
    throw new Error(`claim ${uid}: ${triesMax} conflicts in a row while its status was being written`);
  }

  /** Requeues: the claim cache may never show a claim that was rolled back, and its reservations must be released anyway. */
  #onGone(uid: string): void {
    this.#state.markGone(uid);
    this.#deps.requeue(this.#state.id);
  }

  #onDecided(decision: "granted" | "denied", { key, claim }: OpenEntry, message: string): void {
    const { plane, namespace, name } = key;
    this.#deps.forced.release(key);
    this.#deps.observer.onDecided?.(plane, decision, {
      namespace,
      name,
      uid: claim.metadata.uid ?? "",
      message,
      claim,
    });
  }

  #details({ requests }: ResourceClaim): StatusDetails {
    return statusDetails(this.#state.key, requests, this.#deps);
  }

  get #context(): DisplayContext {
    return displayContext(this.#state.key.consumer, this.#deps.registrations);
  }
}
