import { claimsType } from "../../../src/controllers/quota-types.ts";
import { annotations } from "../../../src/core/resources/well-known.ts";
import { failure, StatusError } from "../../../src/protocol/api-status.ts";
import type { JsonObject } from "../../../src/protocol/json-value.ts";
import type { AdmittingClaim } from "../invariants/admission-book.ts";
import type { Host } from "../world/world.ts";
import type { ClaimWaiters, WaitOutcome } from "./claim-waiters.ts";
import { clientOf, reasonOf, signal, waitFor } from "./clients.ts";
import type { DoorAnswer, DoorRequest } from "./door.ts";
import { candidatesIn, deleteClaim, existingState, writeCandidates } from "./existing-claim.ts";
import { type NeededClaim, neededClaims } from "./needed-claims.ts";
import { metadataOf } from "./operator.ts";

const triesMax = 6;
const waitMs = 8_000;
const withdrawTriesMax = 5;

/** Decides about objects on a machine of its own: makes a claim for each policy, waits for all, and answers. */
export class Doorkeeper {
  readonly #host: Host;
  readonly #waiters: ClaimWaiters;

  constructor(host: Host, waiters: ClaimWaiters) {
    this.#host = host;
    this.#waiters = waiters;
  }

  async answer(request: DoorRequest): Promise<DoorAnswer> {
    let needed: readonly NeededClaim[] = [];
    try {
      if (!this.#waiters.isReady) throw new StatusError(failure("ServiceUnavailable", "not watching yet"));
      needed = await neededClaims(this.#host, request);
      const answer = await this.#decide(needed, request);
      if (answer.answer === "refuse") await this.withdraw(needed, request.uid);
      return answer;
    } catch (error) {
      reasonOf(error);
      await this.withdraw(needed, request.uid);
      const status = error instanceof StatusError ? error.status : failure("ServiceUnavailable", "no answer");
      return { answer: "refuse", status };
    }
  }

  async #decide(needed: readonly NeededClaim[], request: DoorRequest): Promise<DoorAnswer> {
    const claims: AdmittingClaim[] = [];
    const waits: Promise<WaitOutcome>[] = [];
    for (const claim of needed) {
      const { uid, place } = await this.#obtain(claim, request);
      claims.push({ uid, policy: claim.policy });
      waits.push(this.#waiters.wait({ place, uid, candidate: request.uid }, waitMs));
    }
    const outcomes = await Promise.all(waits);
    if (outcomes.every((outcome) => outcome === "granted")) return { answer: "allow", claims, needed };
    const status = outcomes.includes("denied")
      ? failure("Forbidden", "Insufficient quota resources available")
      : failure("ServiceUnavailable", `no decision: ${outcomes.join(", ")}`);
    return { answer: "refuse", status };
  }

  /** Makes the claim, or joins the one that is there. Every write demands that nobody wrote meanwhile. */
  async #obtain(needed: NeededClaim, request: DoorRequest): Promise<Obtained> {
    const { namespace = "", name = "" } = needed.manifest.metadata;
    const client = clientOf(this.#host, needed.plane, claimsType);
    const place = { plane: needed.plane, namespace, name };
    for (let tried = 1; tried <= triesMax; tried += 1) {
      try {
        const made = await client.create(needed.manifest, {}, signal);
        return { uid: metadataOf(made).uid ?? "", place };
      } catch (error) {
        if (!["AlreadyExists", "unknown"].includes(reasonOf(error))) throw error;
      }
      const found = await client.find({ namespace, name }, signal);
      if (found === undefined) continue;
      const isListed = await this.#join(found, needed, request).catch(lostRace);
      if (isListed) return { uid: metadataOf(found).uid ?? "", place };
      await waitFor(this.#host, this.#host.random.between(1, 60));
    }
    throw new StatusError(failure("ServiceUnavailable", "too many others ask for the same"));
  }

  /** Whether the claim that is there lists us by now; if not, it may be tried again. */
  async #join(found: JsonObject, needed: NeededClaim, request: DoorRequest): Promise<boolean> {
    const state = existingState(found, needed, request.uid);
    switch (state) {
      case "listed":
        return true;
      case "going":
        return false;
      case "denied":
        await deleteClaim(this.#host, needed.plane, found);
        return false;
      case "bound":
        return this.#takeOver(found, needed, request);
      case "open":
        await writeCandidates(this.#host, needed.plane, found, {
          listed: [...candidatesIn(found), request.uid],
          keepsBound: true,
        });
        return true;
      case "full":
        throw new StatusError(failure("TooManyRequests", "too many ask for the same object"));
      case "other":
        throw new StatusError(failure("InternalError", "a claim of this name is for something else"));
      default:
        throw new Error(`unknown state ${state satisfies never}`);
    }
  }

  /** A claim that is bound is ours only if its object is gone. */
  async #takeOver(found: JsonObject, { plane }: NeededClaim, request: DoorRequest): Promise<boolean> {
    const bound = metadataOf(found).annotations?.[annotations.bound] ?? "";
    const { namespace, name = "" } = request.object.metadata;
    const objects = clientOf(this.#host, request.plane, request.type);
    const object = await objects.find({ name, ...(namespace === undefined ? {} : { namespace }) }, signal);
    if (object !== undefined && metadataOf(object).uid === bound)
      throw new StatusError(failure("AlreadyExists", `${request.resource} "${name}" already exists`));
    const left = candidatesIn(found).filter((uid) => uid !== bound);
    if (left.length === 0) {
      await deleteClaim(this.#host, plane, found);
      return false;
    }
    await writeCandidates(this.#host, plane, found, { listed: [...left, request.uid], keepsBound: false });
    return true;
  }

  /** Takes our object off every claim; who was the last takes the claim along. */
  async withdraw(needed: readonly NeededClaim[], uid: string): Promise<void> {
    for (const claim of needed) {
      for (let tried = 1; tried <= withdrawTriesMax; tried += 1) {
        if (await this.#withdrawFrom(claim, uid).catch(anyFailure)) break;
        await waitFor(this.#host, this.#host.random.between(10, 500));
      }
    }
  }

  async #withdrawFrom({ plane, manifest }: NeededClaim, uid: string): Promise<boolean> {
    const { namespace = "", name = "" } = manifest.metadata;
    const found = await clientOf(this.#host, plane, claimsType).find({ namespace, name }, signal);
    if (found === undefined || !candidatesIn(found).includes(uid)) return true;
    const left = candidatesIn(found).filter((candidate) => candidate !== uid);
    if (left.length === 0) await deleteClaim(this.#host, plane, found);
    else await writeCandidates(this.#host, plane, found, { listed: left, keepsBound: true });
    return true;
  }
}

interface Obtained {
  readonly uid: string;
  readonly place: { readonly plane: string; readonly namespace: string; readonly name: string };
}

/** Whatever it is, it may go better next time. What is never withdrawn is found by others. */
function anyFailure(error: unknown): false {
  reasonOf(error);
  return false;
}

/** Somebody was faster, or nobody knows: look again. */
function lostRace(error: unknown): false {
  if (error instanceof StatusError && !["Conflict", "NotFound"].includes(error.status.reason ?? "")) throw error;
  reasonOf(error);
  return false;
}
