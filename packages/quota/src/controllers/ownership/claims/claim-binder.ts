import type { EventRecorder } from "@milo-quota/kubernetes/client/events/event-recorder.ts";
import { type ReconcileResult, reconciled, requeueAfter } from "@milo-quota/kubernetes/client/queue/work-queue.ts";
import type { PlaneObjectKey } from "@milo-quota/kubernetes/client/watch/plane-object-key.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { claimOwner } from "../../../core/resources/claim-owner.ts";
import type { AutomaticClaim, ClaimRecord } from "../../../views/claim-record.ts";
import type { Running, Runtime } from "../../../views/runtime.ts";
import { objectId } from "../../object-id.ts";
import { addressOf } from "../objects/object-address.ts";
import { PlaneQueues } from "../plane-queues.ts";
import { claimDeletedEvent, subjectOf } from "./claim-events.ts";
import type { ClaimIndex } from "./claim-index.ts";
import type { ClaimVersion, ClaimWriter, OwnerChange } from "./claim-writer.ts";
import type { ClaimStep } from "./next-step.ts";
import type { StepPlanner } from "./step-planner.ts";

export interface ClaimBinderDeps {
  readonly runtime: Runtime;
  readonly claims: Pick<ClaimIndex, "get">;
  readonly planner: StepPlanner;
  readonly writer: ClaimWriter;
  readonly events: Pick<EventRecorder, "record"> | undefined;
}

interface QueueKey {
  readonly key: PlaneObjectKey;
  readonly planes: string;
}

/** After a conflict the cache usually delivers the new version; this retry is for when it does not. */
const conflictMs = 2_000;

/** Binds automatic claims to their objects, and deletes them after their objects. Ignores claims that users create. */
export class ClaimBinder implements Running {
  readonly #deps: ClaimBinderDeps;
  readonly #queue: PlaneQueues<QueueKey>;

  constructor(deps: ClaimBinderDeps) {
    this.#deps = deps;
    const { clock, random, report } = deps.runtime;
    this.#queue = new PlaneQueues({
      reconcile: ({ key }, signal) => this.#reconcile(key, signal),
      idOf: ({ key }) => objectId(key),
      observer: deps.runtime.queueObservers?.("claim-owners"),
      planesOf: ({ planes }) => planes,
      clock,
      random,
      report: (error, { key }) => report(`ownership of claim ${key.namespace}/${key.name}`, error),
    });
  }

  /** Queues a claim if the cache shows that it needs an action, now or later. */
  enqueue(key: PlaneObjectKey, claim: ClaimRecord): void {
    const { automatic, deleting } = claim;
    if (automatic === undefined && !deleting) return;
    const objectPlane = automatic === undefined ? "" : addressOf(automatic, this.#deps.runtime.planes).key.plane;
    const queueKey = { key, planes: `${objectPlane}\n${key.plane}` };
    const step =
      automatic === undefined || deleting ? undefined : this.#deps.planner.planFromCache(key, claim, automatic);
    if (step?.step === "none") this.#queue.dropLater(queueKey);
    else if (step?.step === "wait") this.#queue.addAfter(queueKey, step.forMs);
    else this.#queue.add(queueKey);
  }

  stop(): Promise<void> {
    return this.#queue.stop();
  }

  async #reconcile(key: PlaneObjectKey, signal: AbortSignal): Promise<ReconcileResult> {
    const claim = this.#deps.claims.get(key);
    if (claim === undefined) return reconciled;
    const version = { key, uid: claim.uid, version: claim.version };
    if (claim.deleting) return this.#finalize(version, claim, signal);
    if (claim.automatic === undefined) return reconciled;
    const step = await this.#deps.planner.plan(key, claim, claim.automatic, signal);
    return this.#execute(step, version, claim.automatic, signal);
  }

  async #execute(
    step: ClaimStep,
    claim: ClaimVersion,
    automatic: AutomaticClaim,
    signal: AbortSignal,
  ): Promise<ReconcileResult> {
    const { writer } = this.#deps;
    switch (step.step) {
      case "none":
        return reconciled;
      case "read":
        return requeueAfter(conflictMs);
      case "wait":
        return requeueAfter(step.forMs);
      case "bind":
        return resultOf(
          writer.writeBinding(claim, { ...step, bound: step.uid, owners: ownerAdded(step, automatic) }, signal),
        );
      case "unbind":
        return resultOf(
          writer.writeBinding(claim, { ...step, bound: undefined, owners: ownerRemoved(step.uid, automatic) }, signal),
        );
      case "delete":
        return this.#delete(step.reason, claim, signal);
      default:
        throw new Error(`unknown step ${step satisfies never}`);
    }
  }

  async #delete(
    reason: Extract<ClaimStep, { step: "delete" }>["reason"],
    claim: ClaimVersion,
    signal: AbortSignal,
  ): Promise<ReconcileResult> {
    const { writer, events } = this.#deps;
    const denial = reason === "denied" && events !== undefined ? await writer.messageOf(claim, signal) : "";
    const result = await resultOf(writer.delete(claim, signal));
    const event = claimDeletedEvent(reason, denial);
    if (result === reconciled && event !== undefined) events?.record(claim.key.plane, subjectOf(claim), event);
    return result;
  }

  /** Removes our finalizer from a claim that is being deleted, once its object is gone. */
  async #finalize(version: ClaimVersion, claim: ClaimRecord, signal: AbortSignal): Promise<ReconcileResult> {
    const { writer } = this.#deps;
    try {
      if (!(await writer.hasFinalizer(version, signal))) return reconciled;
    } catch (error) {
      return afterConflict(error);
    }
    const delayMs = await this.#keepMs(version.key, claim, signal);
    if (delayMs === undefined) return reconciled;
    return delayMs > 0 ? requeueAfter(delayMs) : resultOf(writer.removeFinalizer(version, signal));
  }

  /** How long to keep a claim that is being deleted; undefined: until an event of its object. */
  async #keepMs(key: PlaneObjectKey, claim: ClaimRecord, signal: AbortSignal): Promise<number | undefined> {
    if (claim.automatic === undefined || claim.state === "denied") return 0;
    const step = await this.#deps.planner.plan(key, claim, claim.automatic, signal);
    switch (step.step) {
      case "delete":
        return 0;
      case "wait":
        return step.forMs;
      case "unbind":
        return this.#deps.planner.remainingTtlMs(key, claim);
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

async function resultOf(write: Promise<unknown>): Promise<ReconcileResult> {
  try {
    await write;
    return reconciled;
  } catch (error) {
    return afterConflict(error);
  }
}

/** Another client deleted or changed the claim first: it is decided again. */
function afterConflict(error: unknown): ReconcileResult {
  if (error instanceof StatusError && error.status.code === 404) return reconciled;
  if (error instanceof StatusError && error.status.code === 409) return requeueAfter(conflictMs);
  throw error;
}
