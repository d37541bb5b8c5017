import type { RestMapper } from "@milo-quota/kubernetes/client/discovery/rest-mapper.ts";
import type { PlaneObjectKey } from "@milo-quota/kubernetes/client/watch/plane-object-key.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { GroupKind } from "../../../core/resources/fields/consumer-ref.ts";
import { InternCache } from "../../../views/intern-cache.ts";
import type { PolicyKey } from "../../../views/policy-cache.ts";
import type { Running, Runtime } from "../../../views/runtime.ts";
import { KindInformers } from "../../kind-informers.ts";
import type { ClaimPolicies, PolicyState } from "../claim-policies.ts";
import type { ObjectObservation } from "../claims/next-step.ts";
import { kindKey, type ObjectAddress } from "./object-address.ts";
import type { ObjectNeeds } from "./object-needs.ts";
import { type GovernedObject, governedObject } from "./object-plans.ts";
import { factsOf, type ObjectFacts } from "./object-reader.ts";

export interface ObjectCacheDeps {
  readonly runtime: Runtime;
  readonly restMapper: Pick<RestMapper, "resourceFor" | "invalidate">;
  readonly policies: ClaimPolicies;
  readonly needs: ObjectNeeds;
  /** Kinds of objects with claims, even if no policy applies to them any more. */
  readonly claimedKinds: () => readonly GroupKind[];
  readonly observer: ObjectCacheObserver;
}

export interface ObjectCacheObserver {
  /** An object or its needs changed; after a deletion `object` is its last state. */
  onObject(address: ObjectAddress, object: GovernedObject): void;
  /** All objects of a kind are in the cache. */
  onSynced(kind: GroupKind): void;
  /** A policy took effect, changed, or is no longer in effect. */
  onPolicy(key: PolicyKey, kinds: readonly GroupKind[]): void;
}

/** Caches the objects that claim policies apply to, or that have claims, in all control planes. */
export class ObjectCache implements Running {
  readonly #deps: ObjectCacheDeps;
  readonly #informers: KindInformers<GovernedObject>;
  /** The state of each policy when it was last evaluated for the objects. */
  readonly #policies = new Map<string, { readonly kind: GroupKind; readonly spec: string; readonly since: string }>();
  readonly #strings = new InternCache<string>();
  #unsubscribe: () => void = () => undefined;

  constructor(deps: ObjectCacheDeps) {
    const { runtime, restMapper, needs, observer } = deps;
    this.#deps = deps;
    const onObject = (kind: GroupKind, key: PlaneObjectKey, object: GovernedObject): void =>
      observer.onObject({ kind, key }, object);
    this.#informers = new KindInformers<GovernedObject>({
      runtime,
      restMapper,
      keep: (object, plane, kind) => governedObject(this.#internedFacts(object), needs.of(object, plane, kind)),
      handler: {
        onAdd: onObject,
        onUpdate: (kind, key, _, now) => onObject(kind, key, now),
        onDelete: onObject,
        onSynced: (kind) => observer.onSynced(kind),
      },
      owner: "ownership of",
    });
  }

  start(): void {
    this.#unsubscribe = this.#deps.policies.onChange((key) => this.#onPolicyChanged(key));
    this.updateKinds();
  }

  get({ kind, key }: ObjectAddress): GovernedObject | undefined {
    return this.#informers.get(kind, key);
  }

  entries(kind: GroupKind): Iterable<readonly [PlaneObjectKey, GovernedObject]> {
    return this.#informers.entries(kind);
  }

  hasSynced(kind: GroupKind): boolean {
    return this.#informers.phase(kind) === "live";
  }

  observationOf(address: ObjectAddress): ObjectObservation {
    const object = this.get(address);
    if (object !== undefined) return { object: "present", live: false, ...object };
    return { object: this.#informers.phase(address.kind) === "starting" ? "starting" : "uncached" };
  }

  /** Watches the kinds of policies and of objects with claims. */
  updateKinds(): void {
    const { policies, claimedKinds } = this.#deps;
    const kinds = [...policies.kinds(), ...claimedKinds()];
    this.#informers.setKinds([...new Map(kinds.map((kind) => [kindKey(kind), kind])).values()]);
  }

  stop(): Promise<void> {
    this.#unsubscribe();
    return this.#informers.stop();
  }

  /** Interned, because many objects are created in the same second. */
  #internedFacts(object: JsonObject): ObjectFacts {
    const { uid, apiVersion, terminating, created } = factsOf(object);
    return { uid, apiVersion: this.#intern(apiVersion), terminating, created: this.#intern(created) };
  }

  #intern(text: string): string {
    return this.#strings.intern(text, text);
  }

  /** Evaluates the policy again only if its result may differ: most updates change its status alone. */
  #onPolicyChanged(key: PolicyKey): void {
    const id = `${key.plane}\n${key.name}`;
    const state = this.#deps.policies.get(key);
    const before = this.#policies.get(id);
    const now = state && { kind: state.kind, spec: specText(state), since: state.enforcedSince ?? "" };
    if (before?.spec === now?.spec && before?.since === now?.since) return;
    if (now === undefined) this.#policies.delete(id);
    else this.#policies.set(id, now);
    const kinds = [before, now].flatMap((each) => (each === undefined ? [] : [each.kind]));
    this.updateKinds();
    if (before?.spec !== now?.spec) for (const kind of kinds) this.#informers.refilter(kind);
    this.#deps.observer.onPolicy(key, kinds);
  }
}

function specText({ policy, verdict, kind }: PolicyState): string {
  const { uid = "", generation = 0 } = policy.metadata;
  return [kindKey(kind), uid, generation, verdict.state].join("\n");
}
