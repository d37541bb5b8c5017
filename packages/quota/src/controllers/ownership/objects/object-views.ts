import type { KindDirectory } from "@milo-quota/kubernetes/client/discovery/kind-directory.ts";
import type { ObjectPlace } from "@milo-quota/kubernetes/client/watch/object-place.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { GroupKind } from "../../../core/resources/fields/consumer-ref.ts";
import type { Running, Runtime } from "../../../views/runtime.ts";
import { SharedValues } from "../../../views/shared-values.ts";
import type { PolicyPlace } from "../../../views/watched-policies.ts";
import { FollowedKinds } from "../../followed-kinds.ts";
import type { ClaimPolicies, PolicyState } from "../claim-policies.ts";
import type { Sighting } from "../claims/next-step.ts";
import { kindKey, type ObjectAddress } from "./governed-object.ts";
import type { ObjectNeeds } from "./object-needs.ts";
import { type GovernedObject, governedObject } from "./object-plans.ts";
import { factsOf, type ObjectFacts } from "./object-reader.ts";

export interface ObjectViewsOptions {
  readonly runtime: Runtime;
  readonly directory: Pick<KindDirectory, "find" | "doubt">;
  readonly policies: ClaimPolicies;
  readonly needs: ObjectNeeds;
  /** Kinds that claims are for, whether policies still ask for that or not. */
  readonly claimedKinds: () => readonly GroupKind[];
  readonly told: ObjectViewsListener;
}

export interface ObjectViewsListener {
  /** Something happened to an object, or to what it needs; `object` is as it was, for one that went. */
  object(address: ObjectAddress, object: GovernedObject): void;
  /** All objects of a kind are known, or it is known that there are none. */
  settled(kind: GroupKind): void;
  /** A policy is at work, or not any more, or since another time. */
  policy(place: PolicyPlace, kinds: readonly GroupKind[]): void;
}

/** What can be seen of the objects that claims are for, or should be, in all planes. */
export class ObjectViews implements Running {
  readonly #options: ObjectViewsOptions;
  readonly #followed: FollowedKinds<GovernedObject>;
  /** What was known of policies when objects were last asked by them. */
  readonly #policies = new Map<string, { readonly kind: GroupKind; readonly spec: string; readonly since: string }>();
  readonly #texts = new SharedValues<string>();
  #unsubscribe: () => void = () => undefined;

  constructor(options: ObjectViewsOptions) {
    const { runtime, directory, needs, told } = options;
    this.#options = options;
    const tell = (kind: GroupKind, place: ObjectPlace, object: GovernedObject): void =>
      told.object({ kind, place }, object);
    this.#followed = new FollowedKinds<GovernedObject>({
      runtime,
      directory,
      keep: (object, plane, kind) => governedObject(this.#sharedFacts(object), needs.of(object, plane, kind)),
      handler: {
        added: tell,
        changed: (kind, place, _, now) => tell(kind, place, now),
        removed: tell,
        settled: (kind) => told.settled(kind),
      },
      where: "ownership of",
    });
  }

  start(): void {
    this.#unsubscribe = this.#options.policies.onChange((place) => this.#policyChanged(place));
    this.wantKinds();
  }

  get({ kind, place }: ObjectAddress): GovernedObject | undefined {
    return this.#followed.get(kind, place);
  }

  entries(kind: GroupKind): Iterable<readonly [ObjectPlace, GovernedObject]> {
    return this.#followed.entries(kind);
  }

  knowsAll(kind: GroupKind): boolean {
    return this.#followed.phase(kind) === "live";
  }

  sightingOf(address: ObjectAddress): Sighting {
    const object = this.get(address);
    if (object !== undefined) return { sight: "there", live: false, ...object };
    return this.#followed.phase(address.kind) === "starting" ? { sight: "starting" } : { sight: "unseen" };
  }

  wantKinds(): void {
    const { policies, claimedKinds } = this.#options;
    const kinds = [...policies.kinds(), ...claimedKinds()];
    this.#followed.want([...new Map(kinds.map((kind) => [kindKey(kind), kind])).values()]);
  }

  stop(): Promise<void> {
    this.#unsubscribe();
    return this.#followed.stop();
  }

  /** Many objects are made in the same second. */
  #sharedFacts(object: JsonObject): ObjectFacts {
    const { uid, apiVersion, terminating, created } = factsOf(object);
    return { uid, apiVersion: this.#text(apiVersion), terminating, created: this.#text(created) };
  }

  #text(text: string): string {
    return this.#texts.of(text, text);
  }

  /** Whoever writes the status of a policy changes it as well: objects are asked anew only when they may answer anew. */
  #policyChanged(place: PolicyPlace): void {
    const key = `${place.plane}\n${place.name}`;
    const state = this.#options.policies.get(place);
    const before = this.#policies.get(key);
    const now = state && { kind: state.kind, spec: specText(state), since: state.readySince ?? "" };
    if (before?.spec === now?.spec && before?.since === now?.since) return;
    if (now === undefined) this.#policies.delete(key);
    else this.#policies.set(key, now);
    const kinds = [before, now].flatMap((each) => (each === undefined ? [] : [each.kind]));
    this.wantKinds();
    if (before?.spec !== now?.spec) for (const kind of kinds) this.#followed.rekeep(kind);
    this.#options.told.policy(place, kinds);
  }
}

function specText({ policy, verdict, kind }: PolicyState): string {
  const { uid = "", generation = 0 } = policy.metadata;
  return [kindKey(kind), uid, generation, verdict.state].join("\n");
}
