import type { GroupKind } from "../../core/resources/consumer-ref.ts";
import type { KindDirectory } from "../../kube/discovery/kind-directory.ts";
import type { EventRecorder } from "../../kube/events/event-recorder.ts";
import { untilAborted } from "../../kube/until-aborted.ts";
import type { ObjectPlace } from "../../kube/watch/informer.ts";
import { FollowedKinds } from "../followed-kinds.ts";
import type { Running, Runtime } from "../runtime.ts";
import type { ClaimRecord } from "../views/claim-record.ts";
import type { Views } from "../views/views.ts";
import { ClaimChanges } from "./claim-changes.ts";
import { ClaimSteward, placeKey } from "./claim-steward.ts";
import { ClaimsByObject } from "./claims-by-object.ts";
import { FirstSeen } from "./first-seen.ts";
import { addressOf, isSameAddress, kindKey, type ObjectAddress } from "./governed-object.ts";
import { defaultTimes, type OwnershipTimes, type Sighting } from "./next-step.ts";
import { factsOf, type ObjectFacts, ObjectReader } from "./object-reader.ts";
import { Rounds } from "./rounds.ts";

export interface OwnershipOptions {
  readonly runtime: Runtime;
  readonly views: Pick<Views, "claims">;
  readonly directory: Pick<KindDirectory, "find" | "doubt">;
  readonly events?: Pick<EventRecorder, "record">;
  readonly limits?: Partial<OwnershipLimits>;
  /** Whether claims that are bound are kept, when somebody deletes them, until their object is gone. */
  readonly finalizer?: boolean;
}

export interface OwnershipLimits extends OwnershipTimes {
  /** How often everything is looked at, whether something happened to it or not. */
  readonly sweepMs: number;
}

const defaultLimits: OwnershipLimits = { ...defaultTimes, sweepMs: 240_000 };

/** Keeps automatic claims and the objects that they are for together. */
export class Ownership implements Running {
  readonly #options: OwnershipOptions;
  readonly #firstSeen: FirstSeen;
  readonly #claims: ClaimsByObject;
  readonly #objects: FollowedKinds<ObjectFacts>;
  readonly #steward: ClaimSteward;
  readonly #rounds: Rounds<readonly [ObjectPlace, ClaimRecord]>;
  readonly #stopped = new AbortController();
  readonly #begun: Promise<void>;
  #unsubscribe: () => void = () => undefined;
  #followsKinds = false;

  constructor(options: OwnershipOptions) {
    const { runtime, views, directory, events, finalizer = false } = options;
    const limits = { ...defaultLimits, ...options.limits };
    this.#options = options;
    this.#firstSeen = new FirstSeen(runtime.elapsedMs);
    this.#claims = new ClaimsByObject(() => this.#wantKinds());
    this.#objects = this.#follow(directory);
    this.#steward = new ClaimSteward({
      runtime,
      claimAt: (place) => views.claims.get(place),
      sightingOf: (address) => this.#sightingOf(address),
      reader: new ObjectReader(runtime.planes, directory),
      changes: new ClaimChanges(runtime.planes, finalizer),
      firstSeen: this.#firstSeen,
      times: limits,
      events,
    });
    this.#rounds = new Rounds(runtime, ([place, claim]) => this.#steward.attend(place, claim));
    this.#begun = this.#begin(limits.sweepMs).catch(() => undefined);
  }

  async stop(): Promise<void> {
    this.#stopped.abort(new Error("nobody looks after claims any more"));
    await this.#begun;
    this.#unsubscribe();
    await Promise.all([this.#rounds.stop(), this.#steward.stop(), this.#objects.stop()]);
  }

  /** Nothing is decided before all claims are known. */
  async #begin(sweepMs: number): Promise<void> {
    const { claims } = this.#options.views;
    await untilAborted(claims.ready, this.#stopped.signal);
    this.#unsubscribe = claims.subscribe({
      added: (place, now) => this.#saw(place, undefined, now),
      changed: (place, before, now) => this.#saw(place, before, now),
      removed: (place, before) => this.#lost(place, before),
    });
    this.#followsKinds = true;
    this.#wantKinds();
    this.#rounds.every(sweepMs, () => claims.entries());
  }

  #saw(place: ObjectPlace, before: ClaimRecord | undefined, now: ClaimRecord): void {
    const { planes } = this.#options.runtime;
    this.#firstSeen.saw(placeKey(place), now);
    const [earlier, later] = [before, now].map((claim) => claim?.automatic && addressOf(claim.automatic, planes));
    if (later !== undefined) this.#claims.add(later, place);
    if (earlier !== undefined && !isSameAddress(earlier, later)) this.#claims.remove(earlier, place);
    this.#steward.attend(place, now);
  }

  #lost(place: ObjectPlace, { automatic }: ClaimRecord): void {
    this.#firstSeen.forget(placeKey(place));
    if (automatic !== undefined) this.#claims.remove(addressOf(automatic, this.#options.runtime.planes), place);
  }

  #follow(directory: OwnershipOptions["directory"]): FollowedKinds<ObjectFacts> {
    const attend = (kind: GroupKind, place: ObjectPlace): void => this.#attendObject({ kind, place });
    return new FollowedKinds<ObjectFacts>({
      runtime: this.#options.runtime,
      directory,
      keep: (object) => factsOf(object),
      handler: { added: attend, changed: attend, removed: attend, settled: (kind) => this.#settled(kind) },
      where: "ownership of",
    });
  }

  #attendObject(address: ObjectAddress): void {
    for (const place of this.#claims.of(address)) {
      const claim = this.#options.views.claims.get(place);
      if (claim !== undefined) this.#steward.attend(place, claim);
    }
  }

  /** Objects that went while nobody looked are told of by nobody: all claims for objects of the kind are looked at. */
  #settled(kind: GroupKind): void {
    const { views, runtime } = this.#options;
    function* ofKind() {
      for (const entry of views.claims.entries()) {
        const { automatic } = entry[1];
        if (automatic !== undefined && kindKey(addressOf(automatic, runtime.planes).kind) === kindKey(kind))
          yield entry;
      }
    }
    this.#rounds.once(ofKind());
  }

  #sightingOf({ kind, place }: ObjectAddress): Sighting {
    const facts = this.#objects.get(kind, place);
    if (facts !== undefined) return { sight: "there", live: false, ...facts };
    return this.#objects.phase(kind) === "starting" ? { sight: "starting" } : { sight: "unseen" };
  }

  #wantKinds(): void {
    if (this.#followsKinds) this.#objects.want(this.#claims.kinds());
  }
}
