import type { EventRecorder } from "@milo-quota/kubernetes/client/events/event-recorder.ts";
import { again, type Outcome, settled } from "@milo-quota/kubernetes/client/queue/work-queue.ts";
import type { ObjectPlace } from "@milo-quota/kubernetes/client/watch/object-place.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { claimOwner } from "../../../core/resources/claim-owner.ts";
import type { AutomaticClaim, ClaimRecord } from "../../../views/claim-record.ts";
import type { Running, Runtime } from "../../../views/runtime.ts";
import { addressOf, placeKey } from "../objects/governed-object.ts";
import { PlaneQueues } from "../plane-queues.ts";
import type { ClaimChanges, DecidedOn, OwnerChange } from "./claim-changes.ts";
import type { ClaimDecisions } from "./claim-decisions.ts";
import { claimDeletedEvent, subjectOf } from "./claim-events.ts";
import type { ClaimRegister } from "./claim-register.ts";
import type { ClaimStep } from "./next-step.ts";

export interface ClaimStewardOptions {
  readonly runtime: Runtime;
  readonly claims: Pick<ClaimRegister, "at">;
  readonly decisions: ClaimDecisions;
  readonly changes: ClaimChanges;
  readonly events: Pick<EventRecorder, "record"> | undefined;
}

interface ClaimKey {
  readonly place: ObjectPlace;
  readonly planes: string;
}

/** When somebody else changed a claim, its new version comes by the view; this is for when it does not. */
const conflictMs = 2_000;

/** Binds automatic claims to their objects, and lets them go when these are gone. Claims of people are left to them. */
export class ClaimSteward implements Running {
  readonly #options: ClaimStewardOptions;
  readonly #queue: PlaneQueues<ClaimKey>;

  constructor(options: ClaimStewardOptions) {
    this.#options = options;
    const { clock, random, report } = options.runtime;
    this.#queue = new PlaneQueues({
      work: ({ place }, signal) => this.#reconcile(place, signal),
      idOf: ({ place }) => placeKey(place),
      told: options.runtime.toldQueues?.("claim-owners"),
      planesOf: ({ planes }) => planes,
      clock,
      random,
      report: (error, { place }) => report(`ownership of claim ${place.namespace}/${place.name}`, error),
    });
  }

  /** Looks after a claim, if it is one to be looked after, and there is something to do about it as far as can be seen. */
  attend(place: ObjectPlace, claim: ClaimRecord): void {
    const { automatic, deleting } = claim;
    if (automatic === undefined && !deleting) return;
    const objectPlane = automatic === undefined ? "" : addressOf(automatic, this.#options.runtime.planes).place.plane;
    const key = { place, planes: `${objectPlane}\n${place.plane}` };
    const step =
      automatic === undefined || deleting ? undefined : this.#options.decisions.seen(place, claim, automatic);
    if (step?.step === "nothing") this.#queue.dropLater(key);
    else if (step?.step === "wait") this.#queue.addAfter(key, step.forMs);
    else this.#queue.add(key);
  }

  stop(): Promise<void> {
    return this.#queue.stop();
  }

  async #reconcile(place: ObjectPlace, signal: AbortSignal): Promise<Outcome> {
    const claim = this.#options.claims.at(place);
    if (claim === undefined) return settled;
    const decidedOn = { place, uid: claim.uid, version: claim.version };
    if (claim.deleting) return this.#farewell(decidedOn, claim, signal);
    if (claim.automatic === undefined) return settled;
    const step = await this.#options.decisions.of(place, claim, claim.automatic, signal);
    return this.#take(step, decidedOn, claim.automatic, signal);
  }

  async #take(step: ClaimStep, claim: DecidedOn, automatic: AutomaticClaim, signal: AbortSignal): Promise<Outcome> {
    const { changes } = this.#options;
    switch (step.step) {
      case "nothing":
        return settled;
      case "look":
        return again(conflictMs);
      case "wait":
        return again(step.forMs);
      case "bind":
        return written(changes.note(claim, { ...step, bound: step.uid, owners: ownerAdded(step, automatic) }, signal));
      case "unbind":
        return written(
          changes.note(claim, { ...step, bound: undefined, owners: ownerRemoved(step.uid, automatic) }, signal),
        );
      case "delete":
        return this.#delete(step.why, claim, signal);
      default:
        throw new Error(`unknown step ${step satisfies never}`);
    }
  }

  async #delete(
    why: Extract<ClaimStep, { step: "delete" }>["why"],
    claim: DecidedOn,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const { changes, events } = this.#options;
    const refusal = why === "denied" && events !== undefined ? await changes.messageOf(claim, signal) : "";
    const outcome = await written(changes.release(claim, signal));
    const happening = claimDeletedEvent(why, refusal);
    if (outcome === settled && happening !== undefined) {
      events?.record(claim.place.plane, subjectOf(claim), happening);
    }
    return outcome;
  }

  /** A claim that is being deleted is nobody's business any more, unless it waits for us to let it go. */
  async #farewell(decidedOn: DecidedOn, claim: ClaimRecord, signal: AbortSignal): Promise<Outcome> {
    const { changes } = this.#options;
    try {
      if (!(await changes.waitsForUs(decidedOn, signal))) return settled;
    } catch (error) {
      return unlessOvertaken(error);
    }
    const delayMs = await this.#holdingMs(decidedOn.place, claim, signal);
    if (delayMs === undefined) return settled;
    return delayMs > 0 ? again(delayMs) : written(changes.letGo(decidedOn, signal));
  }

  /** How long a claim that is being deleted is to be kept at least; undefined: until its object goes. */
  async #holdingMs(place: ObjectPlace, claim: ClaimRecord, signal: AbortSignal): Promise<number | undefined> {
    if (claim.automatic === undefined || claim.state === "denied") return 0;
    const step = await this.#options.decisions.of(place, claim, claim.automatic, signal);
    switch (step.step) {
      case "delete":
        return 0;
      case "wait":
        return step.forMs;
      case "unbind":
        return this.#options.decisions.mayComeForMs(place, claim);
      default:
        return undefined;
    }
  }
}

function ownerAdded(
  { uid, ownerVersion }: Extract<ClaimStep, { step: "bind" }>,
  { resource }: AutomaticClaim,
): OwnerChange {
  if (ownerVersion === undefined) return { change: "none" };
  const { kind, name } = resource;
  const owner = claimOwner({ apiVersion: ownerVersion, kind, name, uid });
  return { change: "add", owner };
}

function ownerRemoved(uid: string, { owners }: AutomaticClaim): OwnerChange {
  return owners.includes(uid) ? { change: "remove", uid } : { change: "none" };
}

async function written(write: Promise<unknown>): Promise<Outcome> {
  try {
    await write;
    return settled;
  } catch (error) {
    return unlessOvertaken(error);
  }
}

/** Somebody else was there first: the claim is gone, or another now, and will be decided upon anew. */
function unlessOvertaken(error: unknown): Outcome {
  if (error instanceof StatusError && error.status.code === 404) return settled;
  if (error instanceof StatusError && error.status.code === 409) return again(conflictMs);
  throw error;
}
