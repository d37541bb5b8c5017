// Fixtures for the tests of invariants: a state to which tests write violations.
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { writeJson } from "@milo-quota/kubernetes/protocol/json-writer.ts";
import type { KubernetesObject } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { StoredChange, StoredObject } from "../world/world.ts";
import type { Invariant } from "./invariant.ts";
import { type QuotaChange, QuotaTruth } from "./quota-truth.ts";

const apiVersion = "quota.miloapis.com/v1alpha1";
const organization = { apiGroup: "resourcemanager.miloapis.com", kind: "Organization", name: "acme" };

type Content = Readonly<Record<string, unknown>>;

/** A stored state that checks invariants on each write. */
export class StateFixture {
  readonly truth = new QuotaTruth();
  readonly #invariants: readonly Invariant[];
  readonly #objects = new Map<string, StoredObject>();
  readonly #onChange: (change: QuotaChange) => void;
  #revision = 1;
  nowMs = 0;

  constructor(invariants: readonly Invariant[], onChange: (change: QuotaChange) => void = () => undefined) {
    this.#invariants = invariants;
    this.#onChange = onChange;
  }

  /** Stores an object and returns the violations. */
  put(resource: string, content: Content): readonly string[] {
    const { name = "", namespace = "" } = content["metadata"] as { name?: string; namespace?: string };
    const key = { plane: "root", resource, namespace, name };
    this.#revision += 1;
    const object = content as unknown as KubernetesObject & JsonObject;
    const now = { key, revision: this.#revision, text: writeJson(object), object };
    const before = this.#objects.get(`${resource}/${name}`);
    this.#objects.set(`${resource}/${name}`, now);
    return this.#take({
      type: before === undefined ? "added" : "modified",
      atMs: this.nowMs,
      now,
      before,
      more: false,
    });
  }

  remove(resource: string, name: string): readonly string[] {
    const now = this.#objects.get(`${resource}/${name}`);
    if (now === undefined) throw new Error(`there is no ${resource} ${name}`);
    this.#objects.delete(`${resource}/${name}`);
    return this.#take({ type: "deleted", atMs: this.nowMs, now, before: now, more: false });
  }

  #take(change: StoredChange): readonly string[] {
    const taken = this.truth.take(change);
    this.#onChange(taken);
    return this.#invariants.flatMap((invariant) => [...invariant.violations(taken, this.truth)]);
  }
}

export const claims = "resourceclaims.quota.miloapis.com";
export const buckets = "allowancebuckets.quota.miloapis.com";
export const grants = "resourcegrants.quota.miloapis.com";
export const registrations = "resourceregistrations.quota.miloapis.com";
export const policies = "claimcreationpolicies.quota.miloapis.com";
export const grantPolicies = "grantcreationpolicies.quota.miloapis.com";
export const effectiveGrants = "effectiveresourcegrants.quota.miloapis.com";

export interface RequestInput {
  readonly type?: string;
  readonly amount: number;
  readonly dimensions?: Readonly<Record<string, string>>;
}

const stateReasons = {
  pending: ["False", "PendingEvaluation"],
  granted: ["True", "QuotaAvailable"],
  denied: ["False", "QuotaExceeded"],
  invalid: ["False", "ValidationFailed"],
} as const;

export type State = keyof typeof stateReasons;

/** A claim whose UID is its name. */
export function claim(name: string, state: State, requested: readonly RequestInput[], more: Content = {}): Content {
  const [status, reason] = stateReasons[state];
  const keyed = requested.map(({ type = "x/things", amount, dimensions = {} }) => ({
    resourceType: type,
    amount,
    dimensions,
  }));
  const allocations = keyed.map(({ resourceType, dimensions, amount }) => ({
    resourceType,
    dimensions,
    allocatedAmount: state === "granted" ? amount : 0,
  }));
  return {
    apiVersion,
    kind: "ResourceClaim",
    metadata: { name, namespace: "default", uid: name, ...more },
    spec: { consumerRef: organization, requests: keyed },
    status: { conditions: [{ type: "Granted", status, reason }], ...(state === "pending" ? {} : { allocations }) },
  };
}

/** Metadata of an automatic claim. */
export function forObjects(candidates: string, bound?: string): Content {
  const note = (name: string): string => `quota.miloapis.com/${name}`;
  return {
    labels: { [note("auto-created")]: "true" },
    annotations: {
      [note("policy")]: "things",
      [note("candidates")]: candidates,
      ...(bound === undefined ? {} : { [note("bound")]: bound }),
    },
  };
}

/** Owner reference of a claim that is stored with its object. */
export function ownedBy(uid: string): Content {
  return { ownerReferences: [{ apiVersion: "example.com/v1", kind: "Thing", name: uid, uid }] };
}

export interface ReservationInput extends RequestInput {
  readonly by: string;
  readonly attempt?: string;
  readonly forced?: boolean;
}

export interface BucketInput {
  readonly type?: string;
  readonly limit: number;
  readonly allocated: number;
  readonly reservations?: readonly ReservationInput[];
  readonly writer?: string;
  /** Contributing grants: names, amounts, generations. */
  readonly contributions?: readonly (readonly [name: string, amount: number, generation: number])[];
  readonly more?: Content;
}

let writes = 0;

export function bucket({
  type = "x/things",
  limit,
  allocated,
  reservations = [],
  writer,
  contributions = [],
  more,
}: BucketInput): Content {
  writes += 1;
  return {
    apiVersion,
    kind: "AllowanceBucket",
    metadata: { name: type.replace("/", "-"), namespace: "milo-system", uid: type },
    spec: { consumerRef: organization, resourceType: type },
    status: {
      limit,
      allocated,
      reserved: reservations.reduce((sum, { amount }) => sum + amount, 0),
      available: Math.max(0, limit - allocated),
      writer: writer ?? `me.${writes}`,
      grantCount: contributions.length,
      reservations: reservations.map(({ by, attempt = "s", amount, dimensions = {}, forced = false }) => ({
        reservedBy: { uid: by },
        set: attempt,
        amount,
        dimensions,
        forced,
      })),
      contributingGrantRefs: contributions.map(([name, amount, generation]) => ({
        name,
        namespace: "milo-system",
        amount,
        lastObservedGeneration: generation,
      })),
      ...more,
    },
  };
}

export function effectiveGrant({ limit, allocated }: Pick<BucketInput, "limit" | "allocated">): Content {
  return {
    apiVersion,
    kind: "EffectiveResourceGrant",
    metadata: { name: "total", namespace: "milo-system", uid: "total" },
    spec: { consumerRef: organization, resourceType: "x/things" },
    status: { totalLimit: limit, totalAllocated: allocated, totalReserved: 0, available: limit - allocated },
  };
}

export interface PoolInput {
  readonly type?: string;
  readonly amount: number;
  readonly only?: Readonly<Record<string, string>>;
}

export function grant(name: string, given: readonly PoolInput[], generation = 1, more: Content = {}): Content {
  return {
    apiVersion,
    kind: "ResourceGrant",
    metadata: { name, namespace: "milo-system", uid: name, generation },
    spec: {
      consumerRef: organization,
      allowances: given.map(({ type = "x/things", amount, only }) => ({
        resourceType: type,
        buckets: [{ amount, ...(only === undefined ? {} : { dimensionSelector: { matchLabels: only } }) }],
      })),
      ...more,
    },
  };
}

export function registration(type = "x/things", isActive = true): Content {
  return {
    apiVersion,
    kind: "ResourceRegistration",
    metadata: { name: type.replace("/", "-"), uid: type },
    spec: {
      resourceType: type,
      type: "Entity",
      consumerType: { apiGroup: organization.apiGroup, kind: organization.kind },
      dimensions: ["place"],
    },
    status: { conditions: [{ type: "Active", status: isActive ? "True" : "False", reason: "RegistrationActive" }] },
  };
}

/** Any object, whose UID is its name. */
export function thing(name: string): Content {
  return { apiVersion: "example.com/v1", kind: "Thing", metadata: { name, namespace: "default", uid: name } };
}

export const things = "things.example.com";
