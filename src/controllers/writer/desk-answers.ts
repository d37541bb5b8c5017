import { type AnswerContext, deniedAnswer, grantedAnswer } from "../../core/ledger/answer.ts";
import type { ShortPart } from "../../core/ledger/settle.ts";
import { bucketName } from "../../core/resources/object-names.ts";
import { activeRegistration } from "../../core/resources/registration-rules.ts";
import type { ResourceClaim } from "../../core/resources/resource-claim.ts";
import { displayAmount, type Unit } from "../../core/resources/units.ts";
import { timeText } from "../../kube/timestamp.ts";
import type { JsonObject } from "../../protocol/json-value.ts";
import { ClaimRecords } from "../views/claim-record.ts";
import { decidedStatus, invalidStatus, type StatusFrame } from "./claim-status.ts";
import type { Desk, OpenEntry } from "./desk.ts";
import type { DeskPorts } from "./ports.ts";

const triesMax = 8;

/** Tells claims of a desk what was decided. */
export class DeskAnswers {
  readonly #desk: Desk;
  readonly #ports: DeskPorts;
  readonly #signal: AbortSignal;

  constructor(desk: Desk, ports: DeskPorts, signal: AbortSignal) {
    this.#desk = desk;
    this.#ports = ports;
    this.#signal = signal;
  }

  /** Grants a claim all of whose promises are on their pages. */
  async commit(uid: string): Promise<void> {
    const written = await this.#persist(uid, ({ claim }) => this.grantOf(claim));
    if (written !== undefined) this.granted(written);
  }

  /** The status of a claim that is granted. */
  grantOf(claim: ResourceClaim): JsonObject {
    const answer = grantedAnswer(claim.requests, this.#context);
    return decidedStatus(claim, answer, this.#frame(claim)) as JsonObject;
  }

  /** A claim is stored as granted. */
  granted(entry: OpenEntry): void {
    this.#desk.decided(entry.open.claim.uid, { state: "granted", parts: entry.open.parts });
    this.#tell("granted", entry, "");
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
    this.#desk.decided(uid, { state: "denied" });
    this.#tell("denied", written, message);
  }

  /** Says why a claim cannot be decided as things are. It stays open. */
  async refuse(uid: string, message: string): Promise<void> {
    await this.#persist(uid, ({ claim }) => invalidStatus(claim, message, this.#frame(claim)));
  }

  /** The entry that the status was written for; undefined if there was nothing to write, or nothing to write it to. */
  async #persist(uid: string, statusOf: (entry: OpenEntry) => object | undefined): Promise<OpenEntry | undefined> {
    const { leadership, claims } = this.#ports;
    for (let tries = 0; tries < triesMax; tries += 1) {
      const entry = this.#desk.entry(uid);
      const status = entry === undefined ? undefined : statusOf(entry);
      if (entry === undefined || status === undefined) return undefined;
      leadership.fence();
      const result = await claims.write(entry.place, { claim: entry.claim, status }, this.#signal);
      if (result.outcome === "written") return entry;
      if (result.outcome === "gone") this.#sawGone(uid);
      else this.#desk.observe(entry.place, new ClaimRecords().of(result.claim));
    }
    throw new Error(`the claim ${uid} was changed by somebody else ${triesMax} times while it was being answered`);
  }

  /** Nobody may have seen it come or go, if it was taken back: what is promised to it has to leave its pages all the same. */
  #sawGone(uid: string): void {
    this.#desk.gone(uid);
    this.#ports.lookAgain(this.#desk.id);
  }

  #tell(decision: "granted" | "denied", { place, claim }: OpenEntry, message: string): void {
    const { plane, namespace, name } = place;
    this.#ports.forced.release(place);
    this.#ports.told.decided?.(plane, decision, { namespace, name, uid: claim.metadata.uid ?? "", message, claim });
  }

  #frame({ requests }: ResourceClaim): StatusFrame {
    const amounts = requests.map(({ resourceType, amount }) => displayAmount(amount, this.#unitOf(resourceType)));
    return { now: timeText(this.#ports.runtime.clock.now()), amounts: amounts.join(", ") };
  }

  get #context(): AnswerContext {
    const { consumer } = this.#desk.key;
    return {
      unitOf: (resourceType) => this.#unitOf(resourceType),
      bucketOf: (resourceType) => bucketName(consumer, resourceType),
    };
  }

  /** What was promised is granted even if its registration is gone by now; then nobody knows the unit. */
  #unitOf(resourceType: string): Unit {
    const { registrations } = this.#ports;
    const registration =
      activeRegistration(registrations, resourceType) ?? registrations.byResourceType(resourceType)[0];
    return registration?.unit ?? { baseUnit: "unit", displayUnit: "unit", factor: 1n };
  }
}
