import type { KindDirectory } from "@milo-quota/kubernetes/client/discovery/kind-directory.ts";
import type { EventRecorder } from "@milo-quota/kubernetes/client/events/event-recorder.ts";
import { sharedAbort } from "@milo-quota/kubernetes/client/shared-abort.ts";
import { untilAborted } from "@milo-quota/kubernetes/client/until-aborted.ts";
import type { ObjectPlace } from "@milo-quota/kubernetes/client/watch/object-place.ts";
import type { GroupKind } from "../../core/resources/fields/consumer-ref.ts";
import type { ClaimRecord } from "../../views/claim-record.ts";
import type { Running, Runtime } from "../../views/runtime.ts";
import type { Views } from "../../views/views.ts";
import type { PolicyPlace } from "../../views/watched-policies.ts";
import type { ForcedClaims } from "../writer/claims/forced-claims.ts";
import type { ClaimPolicies } from "./claim-policies.ts";
import { ClaimChanges } from "./claims/claim-changes.ts";
import { ClaimDecisions } from "./claims/claim-decisions.ts";
import { claimForcedEvent, subjectOf } from "./claims/claim-events.ts";
import { type ClaimEntry, ClaimRegister } from "./claims/claim-register.ts";
import { ClaimSteward } from "./claims/claim-steward.ts";
import { defaultTimes, type OwnershipTimes } from "./claims/next-step.ts";
import { type ClaimShrinker, Custodian } from "./custodian.ts";
import { ForcedClaimMaker } from "./forced/forced-claim-maker.ts";
import { type ForcedClaim, Supply } from "./forced/supply.ts";
import { existingObjects } from "./objects/existing-objects.ts";
import type { ObjectAddress } from "./objects/governed-object.ts";
import { ObjectNeeds } from "./objects/object-needs.ts";
import { type GovernedObject, ObjectPlans } from "./objects/object-plans.ts";
import { ObjectReader } from "./objects/object-reader.ts";
import { ObjectReleases } from "./objects/object-releases.ts";
import { ObjectViews } from "./objects/object-views.ts";
import { PreviewCounts } from "./preview-counts.ts";
import { Rounds } from "./rounds.ts";

export interface OwnershipOptions {
  readonly runtime: Runtime;
  readonly views: Pick<Views, "claims">;
  readonly policies: ClaimPolicies;
  readonly directory: Pick<KindDirectory, "find" | "doubt">;
  readonly forced: ForcedClaims;
  readonly shrinker: ClaimShrinker;
  readonly events?: Pick<EventRecorder, "record">;
  /** Told of every claim that was made for an object which had none, or too little. */
  readonly onForced?: (made: ForcedClaim) => void;
  readonly limits?: Partial<OwnershipLimits>;
}

export interface OwnershipLimits extends OwnershipTimes {
  /** How often everything is looked at, whether something happened to it or not. */
  readonly sweepMs: number;
}

const defaultLimits: OwnershipLimits = { ...defaultTimes, sweepMs: 240_000 };

/** Keeps automatic claims and the objects that they are for together. */
export class Ownership implements Running {
  readonly #options: OwnershipOptions;
  readonly needs: ObjectNeeds;
  readonly releases: ObjectReleases;
  readonly #claims: ClaimRegister;
  readonly #objects: ObjectViews;
  readonly #steward: ClaimSteward;
  readonly #maker: ForcedClaimMaker;
  readonly #custodian: Custodian;
  readonly #previews: PreviewCounts;
  readonly #rounds: Rounds<() => void>;
  readonly #stopped = sharedAbort();
  readonly #begun: Promise<void>;

  constructor(options: OwnershipOptions) {
    const { runtime, views, policies, directory, forced, shrinker, events } = options;
    const limits = { ...defaultLimits, ...options.limits };
    this.#options = options;
    const needs = new ObjectNeeds(runtime, policies);
    const reader = new ObjectReader(runtime.planes, directory);
    const changes = new ClaimChanges(runtime.planes);
    const claims = new ClaimRegister(runtime, views.claims, limits.reservationTtlMs, {
      claim: (place, now) => this.#heardOfClaim(place, now),
      holder: (address) => this.#attendHolder(address),
      kinds: () => this.#objects.wantKinds(),
    });
    const objects = new ObjectViews({
      runtime,
      directory,
      policies,
      needs,
      claimedKinds: () => claims.kinds(),
      told: {
        object: (address, object) => this.#heardOfObject(address, object),
        settled: (kind) => this.#settled(kind),
        policy: (place, kinds) => this.#heardOfPolicy(place, kinds),
      },
    });
    const maker = new ForcedClaimMaker({ runtime, forced, changes });
    this.needs = needs;
    this.releases = new ObjectReleases(claims);
    this.#claims = claims;
    this.#objects = objects;
    this.#maker = maker;
    const decisions = new ClaimDecisions({ runtime, claims, objects, reader, times: limits });
    this.#steward = new ClaimSteward({ runtime, claims, decisions, changes, events });
    this.#custodian = new Custodian({
      runtime,
      objects,
      plans: new ObjectPlans(claims, needs),
      knowsAllClaims: (signal) => views.claims.fresh(signal),
      needs,
      reader,
      changes,
      supply: new Supply({ runtime, needs, maker, made: (claim) => this.#forced(claim) }),
      shrinker,
    });
    const countFor = existingObjects(runtime.planes.root, objects, claims);
    this.#previews = new PreviewCounts({ runtime, policies, countFor });
    this.#rounds = new Rounds(runtime, (visit) => visit());
    this.#begun = this.#begin(limits.sweepMs).catch(() => undefined);
  }

  async stop(): Promise<void> {
    this.#stopped.abort(new Error("nobody looks after claims any more"));
    await this.#begun;
    this.#claims.stop();
    const parts = [this.#rounds, this.#steward, this.#custodian, this.#previews, this.#objects];
    await Promise.all(parts.map((part) => part.stop()));
    this.#maker.stop();
  }

  /** Nothing is decided before all claims are known. */
  async #begin(sweepMs: number): Promise<void> {
    await untilAborted(this.#options.views.claims.ready, this.#stopped.signal);
    this.#claims.start();
    this.#objects.start();
    this.#rounds.every(sweepMs, () => this.#everything());
  }

  #heardOfClaim(place: ObjectPlace, now: ClaimRecord | undefined): void {
    this.#maker.heard(place, now);
    if (now !== undefined) this.#steward.attend(place, now);
  }

  #heardOfObject(address: ObjectAddress, object: GovernedObject): void {
    if (this.needs.cameWithClaims(object.uid)) {
      this.#previews.heardOf(address, object);
      return;
    }
    for (const [place, claim] of this.#claims.of(address)) this.#steward.attend(place, claim);
    this.#custodian.attend(address);
    this.#previews.heardOf(address, object);
  }

  #attendHolder(address: ObjectAddress): void {
    this.#custodian.attend(address);
    const object = this.#objects.get(address);
    if (object !== undefined) this.#previews.heardOf(address, object);
  }

  #heardOfPolicy(place: PolicyPlace, kinds: readonly GroupKind[]): void {
    this.#previews.touch(place);
    for (const kind of kinds) this.#rounds.once(this.#visitObjects(kind));
  }

  /** Objects that went while nobody looked are told of by nobody: all claims for objects of the kind are looked at. */
  #settled(kind: GroupKind): void {
    this.#rounds.once(this.#visitClaims(this.#claims.entries(kind)));
  }

  *#everything(): Generator<() => void> {
    yield* this.#visitClaims(this.#claims.entries());
    for (const kind of this.#options.policies.kinds()) yield* this.#visitObjects(kind);
  }

  *#visitClaims(claims: Iterable<ClaimEntry>): Generator<() => void> {
    for (const [place, claim] of claims) yield () => this.#heardOfClaim(place, claim);
  }

  *#visitObjects(kind: GroupKind): Generator<() => void> {
    for (const [place, object] of this.#objects.entries(kind)) {
      yield () => {
        this.#custodian.attend({ kind, place });
        this.#previews.heardOf({ kind, place }, object);
      };
    }
  }

  #forced(made: ForcedClaim): void {
    const { events, onForced } = this.#options;
    events?.record(made.claim.place.plane, subjectOf(made.claim), claimForcedEvent(made.why));
    onForced?.(made);
  }
}
