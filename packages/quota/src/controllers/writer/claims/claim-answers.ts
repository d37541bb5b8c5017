import { type AnswerContext, deniedAnswer, grantedAnswer } from "../../../core/ledger/answer.ts";
import type { ShortPart } from "../../../core/ledger/settle.ts";
import type { ResourceClaim } from "../../../core/resources/resource-claim.ts";
import { ClaimRecords } from "../../../views/claim-record.ts";
import type { ConsumerState, OpenEntry } from "../consumer-state.ts";
import type { WriterDeps } from "../writer-deps.ts";
import { answerContext, statusFrame } from "./answer-context.ts";
import { decidedStatus, invalidStatus, type StatusFrame } from "./claim-status.ts";

const triesMax = 8;

/** Writes into claims what was decided. */
export class ClaimAnswers {
  readonly #state: ConsumerState;
  readonly #deps: WriterDeps;
  readonly #signal: AbortSignal;

  constructor(state: ConsumerState, deps: WriterDeps, signal: AbortSignal) {
    this.#state = state;
    this.#deps = deps;
    this.#signal = signal;
  }

  /** Grants a claim all of whose promises are on their pages. */
  async commit(uid: string): Promise<void> {
    const written = await this.#persist(uid, ({ claim }) => {
      const answer = grantedAnswer(claim.requests, this.#context);
      return decidedStatus(claim, answer, this.#frame(claim));
    });
    if (written === undefined) return;
    this.#state.learn(uid, { state: "granted", parts: written.open.parts });
    this.#tell("granted", written, "");
  }

  /** Denies a claim; no page is touched. */
  async deny(uid: string, short: readonly ShortPart[]): Promise<void> {
    let message = "";
    const written = await this.#persist(uid, ({ claim }) => {
      const answer = deniedAnswer(claim.requests, short, this.#context);
      message = answer.condition.message;
      return decidedStatus(claim, answer, this.#frame(claim));
    });
    if (written === undefined) return;
    this.#state.learn(uid, { state: "denied" });
    this.#tell("denied", written, message);
  }

  /** Says why a claim cannot be decided as things are. It stays open. */
  async refuse(uid: string, message: string): Promise<void> {
    await this.#persist(uid, ({ claim }) => invalidStatus(claim, message, this.#frame(claim)));
  }

  /** The entry that the status was written for; undefined if there was nothing to write, or nothing to write it to. */
  async #persist(uid: string, statusOf: (entry: OpenEntry) => object | undefined): Promise<OpenEntry | undefined> {
    const { leadership, claims } = this.#deps;
    for (let tries = 0; tries < triesMax; tries += 1) {
      const entry = this.#state.entry(uid);
      const status = entry === undefined ? undefined : statusOf(entry);
      if (entry === undefined || status === undefined) return undefined;
      leadership.fence();
      const result = await claims.write(entry.place, { claim: entry.claim, status }, this.#signal);
      if (result.outcome === "written") return entry;
      if (result.outcome === "gone") this.#sawGone(uid);
      else this.#state.observe(entry.place, new ClaimRecords().of(result.claim));
    }
    throw new Error(`the claim ${uid} was changed by somebody else ${triesMax} times while it was being answered`);
  }

  /** Nobody may have seen it come or go, if it was taken back: what is promised to it has to leave its pages all the same. */
  #sawGone(uid: string): void {
    this.#state.gone(uid);
    this.#deps.lookAgain(this.#state.id);
  }

  #tell(decision: "granted" | "denied", { place, claim }: OpenEntry, message: string): void {
    const { plane, namespace, name } = place;
    this.#deps.forced.release(place);
    this.#deps.observer.decided?.(plane, decision, { namespace, name, uid: claim.metadata.uid ?? "", message, claim });
  }

  #frame({ requests }: ResourceClaim): StatusFrame {
    return statusFrame(requests, this.#deps);
  }

  get #context(): AnswerContext {
    return answerContext(this.#state.key.consumer, this.#deps.registrations);
  }
}
