import { abortable } from "@milo-quota/kubernetes/client/abortable.ts";
import type { RestMapper } from "@milo-quota/kubernetes/client/discovery/rest-mapper.ts";
import type { EventRecorder } from "@milo-quota/kubernetes/client/events/event-recorder.ts";
import { lightAbortController } from "@milo-quota/kubernetes/client/light-abort-controller.ts";
import type { PlaneObjectKey } from "@milo-quota/kubernetes/client/watch/plane-object-key.ts";
import type { GroupKind } from "../../core/resources/fields/consumer-ref.ts";
import type { ClaimRecord } from "../../views/claim-record.ts";
import type { PolicyKey } from "../../views/policy-cache.ts";
import type { Running, Runtime } from "../../views/runtime.ts";
import type { Views } from "../../views/views.ts";
import type { ForcedClaims } from "../writer/claims/forced-claims.ts";
import type { ClaimPolicies } from "./claim-policies.ts";
import { ClaimBinder } from "./claims/claim-binder.ts";
import { claimForcedEvent, subjectOf } from "./claims/claim-events.ts";
import { type ClaimEntry, ClaimIndex } from "./claims/claim-index.ts";
import { ClaimWriter } from "./claims/claim-writer.ts";
import { defaultTimes, type OwnershipTimes } from "./claims/next-step.ts";
import { StepPlanner } from "./claims/step-planner.ts";
import { ForcedClaimWriter } from "./forced/forced-claim-writer.ts";
import { type ForcedClaim, MissingClaimCreator } from "./forced/missing-claim-creator.ts";
import { type ClaimShrinker, ObjectReconciler } from "./object-reconciler.ts";
import { existingObjectCounter } from "./objects/existing-objects.ts";
import type { ObjectAddress } from "./objects/object-address.ts";
import { ObjectCache } from "./objects/object-cache.ts";
import { ObjectNeeds } from "./objects/object-needs.ts";
import { type GovernedObject, ObjectPlans } from "./objects/object-plans.ts";
import { ObjectReader } from "./objects/object-reader.ts";
import { ObjectReleases } from "./objects/object-releases.ts";
import { PreviewCounts } from "./preview-counts.ts";
import { Sweep } from "./sweep.ts";

export interface OwnershipDeps {
  readonly runtime: Runtime;
  readonly views: Pick<Views, "claims">;
  readonly policies: ClaimPolicies;
  readonly restMapper: Pick<RestMapper, "resourceFor" | "invalidate">;
  readonly forced: ForcedClaims;
  readonly shrinker: ClaimShrinker;
  readonly events?: Pick<EventRecorder, "record">;
  /** Called for every forced claim that was created. */
  readonly onForced?: (claim: ForcedClaim) => void;
  readonly limits?: Partial<OwnershipLimits>;
}

export interface OwnershipLimits extends OwnershipTimes {
  /** How often all claims and objects are visited without an event. */
  readonly sweepMs: number;
}

const defaultLimits: OwnershipLimits = { ...defaultTimes, sweepMs: 240_000 };

/** Keeps automatic claims consistent with their objects: binds, creates, shrinks and deletes claims. */
export class Ownership implements Running {
  readonly #deps: OwnershipDeps;
  readonly needs: ObjectNeeds;
  readonly releases: ObjectReleases;
  readonly #claims: ClaimIndex;
  readonly #objects: ObjectCache;
  readonly #binder: ClaimBinder;
  readonly #forcedClaims: ForcedClaimWriter;
  readonly #reconciler: ObjectReconciler;
  readonly #previews: PreviewCounts;
  readonly #sweep: Sweep<() => void>;
  readonly #stopped = lightAbortController();
  readonly #started: Promise<void>;

  constructor(deps: OwnershipDeps) {
    const { runtime, views, policies, restMapper, forced, shrinker, events } = deps;
    const limits = { ...defaultLimits, ...deps.limits };
    this.#deps = deps;
    const needs = new ObjectNeeds(runtime, policies);
    const reader = new ObjectReader(runtime.planes, restMapper);
    const writer = new ClaimWriter(runtime.planes);
    const claims = new ClaimIndex(runtime, views.claims, limits.reservationTtlMs, {
      onClaim: (key, now) => this.#onClaim(key, now),
      onHoldingChanged: (address) => this.#onHoldingChanged(address),
      onKindsChanged: () => this.#objects.updateKinds(),
    });
    const objects = new ObjectCache({
      runtime,
      restMapper,
      policies,
      needs,
      claimedKinds: () => claims.kinds(),
      observer: {
        onObject: (address, object) => this.#onObject(address, object),
        onSynced: (kind) => this.#onSynced(kind),
        onPolicy: (key, kinds) => this.#onPolicy(key, kinds),
      },
    });
    const forcedClaims = new ForcedClaimWriter({ runtime, forced, writer });
    this.needs = needs;
    this.releases = new ObjectReleases(claims);
    this.#claims = claims;
    this.#objects = objects;
    this.#forcedClaims = forcedClaims;
    const planner = new StepPlanner({ runtime, claims, objects, reader, times: limits });
    this.#binder = new ClaimBinder({ runtime, claims, planner, writer, events });
    this.#reconciler = new ObjectReconciler({
      runtime,
      objects,
      plans: new ObjectPlans(claims, needs),
      waitUntilClaimsFresh: (signal) => views.claims.waitUntilFresh(signal),
      needs,
      reader,
      writer,
      creator: new MissingClaimCreator({
        runtime,
        needs,
        writer: forcedClaims,
        onForced: (claim) => this.#onForced(claim),
      }),
      shrinker,
    });
    const countFor = existingObjectCounter(runtime.planes.root, objects, claims);
    this.#previews = new PreviewCounts({ runtime, policies, countFor });
    this.#sweep = new Sweep(runtime, (visit) => visit());
    this.#started = this.#start(limits.sweepMs).catch(() => undefined);
  }

  async stop(): Promise<void> {
    this.#stopped.abort(new Error("ownership was stopped"));
    await this.#started;
    this.#claims.stop();
    const parts = [this.#sweep, this.#binder, this.#reconciler, this.#previews, this.#objects];
    await Promise.all(parts.map((part) => part.stop()));
    this.#forcedClaims.stop();
  }

  /** Starts once the claim cache has synced. */
  async #start(sweepMs: number): Promise<void> {
    await abortable(this.#deps.views.claims.synced, this.#stopped.signal);
    this.#claims.start();
    this.#objects.start();
    this.#sweep.every(sweepMs, () => this.#everything());
  }

  #onClaim(key: PlaneObjectKey, now: ClaimRecord | undefined): void {
    this.#forcedClaims.onClaim(key, now);
    if (now !== undefined) this.#binder.enqueue(key, now);
  }

  #onObject(address: ObjectAddress, object: GovernedObject): void {
    if (!this.needs.wasStoredWithClaims(object.uid)) {
      for (const [key, claim] of this.#claims.of(address)) this.#binder.enqueue(key, claim);
      this.#reconciler.enqueue(address);
    }
    this.#previews.onObject(address, object);
  }

  #onHoldingChanged(address: ObjectAddress): void {
    this.#reconciler.enqueue(address);
    const object = this.#objects.get(address);
    if (object !== undefined) this.#previews.onObject(address, object);
  }

  #onPolicy(key: PolicyKey, kinds: readonly GroupKind[]): void {
    this.#previews.onPolicy(key);
    for (const kind of kinds) this.#sweep.once(this.#visitObjects(kind));
  }

  /** Visits all claims of the kind: there are no events for objects that were deleted while the informer was not running. */
  #onSynced(kind: GroupKind): void {
    this.#sweep.once(this.#visitClaims(this.#claims.entries(kind)));
  }

  *#everything(): Generator<() => void> {
    yield* this.#visitClaims(this.#claims.entries());
    for (const kind of this.#deps.policies.kinds()) yield* this.#visitObjects(kind);
  }

  *#visitClaims(claims: Iterable<ClaimEntry>): Generator<() => void> {
    for (const [key, claim] of claims) yield () => this.#onClaim(key, claim);
  }

  *#visitObjects(kind: GroupKind): Generator<() => void> {
    for (const [key, object] of this.#objects.entries(kind)) {
      yield () => {
        this.#reconciler.enqueue({ kind, key });
        this.#previews.onObject({ kind, key }, object);
      };
    }
  }

  #onForced(forced: ForcedClaim): void {
    const { events, onForced } = this.#deps;
    events?.record(forced.claim.key.plane, subjectOf(forced.claim), claimForcedEvent(forced.reason));
    onForced?.(forced);
  }
}
