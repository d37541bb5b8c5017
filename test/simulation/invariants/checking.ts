// What tests of invariants need: a store to plant mistakes in.
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { writeJson } from "@milo-quota/kubernetes/protocol/json-writer.ts";
import type { KubernetesObject } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { TrueChange, TrueObject } from "../world/world.ts";
import type { Invariant } from "./invariant.ts";
import { type QuotaChange, QuotaTruth } from "./quota-truth.ts";

const apiVersion = "quota.miloapis.com/v1alpha1";
const organization = { apiGroup: "resourcemanager.miloapis.com", kind: "Organization", name: "acme" };

type Content = Readonly<Record<string, unknown>>;

/** Writes to a truth of its own, and tells what invariants say of each write. */
export class Planted {
  readonly truth = new QuotaTruth();
  readonly #invariants: readonly Invariant[];
  readonly #objects = new Map<string, TrueObject>();
  readonly #onChange: (change: QuotaChange) => void;
  #revision = 1;
  nowMs = 0;

  constructor(invariants: readonly Invariant[], onChange: (change: QuotaChange) => void = () => undefined) {
    this.#invariants = invariants;
    this.#onChange = onChange;
  }

  /** Stores an object; the faults that are found. */
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

  #take(change: TrueChange): readonly string[] {
    const taken = this.truth.take(change);
    this.#onChange(taken);
    return this.#invariants.flatMap((invariant) => [...invariant.faults(taken, this.truth)]);
  }
}

export const claims = "resourceclaims.quota.miloapis.com";
export const pages = "allowancebuckets.quota.miloapis.com";
export const grants = "resourcegrants.quota.miloapis.com";
export const registrations = "resourceregistrations.quota.miloapis.com";
export const policies = "claimcreationpolicies.quota.miloapis.com";
export const grantPolicies = "grantcreationpolicies.quota.miloapis.com";
export const totals = "effectiveresourcegrants.quota.miloapis.com";

export interface Asked {
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
export function claim(name: string, state: State, asked: readonly Asked[], more: Content = {}): Content {
  const [status, reason] = stateReasons[state];
  const keyed = asked.map(({ type = "x/things", amount, dimensions = {} }) => ({
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

/** What makes a claim automatic. */
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

/** What a claim is born with in the process of the server. */
export function ownedBy(uid: string): Content {
  return { ownerReferences: [{ apiVersion: "example.com/v1", kind: "Thing", name: uid, uid }] };
}

export interface Promised extends Asked {
  readonly by: string;
  readonly set?: string;
  readonly forced?: boolean;
}

export interface Shown {
  readonly type?: string;
  readonly limit: number;
  readonly allocated: number;
  readonly promised?: readonly Promised[];
  readonly writer?: string;
  /** The grants behind the limit: names, amounts, generations. */
  readonly shares?: readonly (readonly [name: string, amount: number, generation: number])[];
  readonly more?: Content;
}

let writes = 0;

export function page({
  type = "x/things",
  limit,
  allocated,
  promised = [],
  writer,
  shares = [],
  more,
}: Shown): Content {
  writes += 1;
  return {
    apiVersion,
    kind: "AllowanceBucket",
    metadata: { name: type.replace("/", "-"), namespace: "milo-system", uid: type },
    spec: { consumerRef: organization, resourceType: type },
    status: {
      limit,
      allocated,
      reserved: promised.reduce((sum, { amount }) => sum + amount, 0),
      available: Math.max(0, limit - allocated),
      writer: writer ?? `me.${writes}`,
      grantCount: shares.length,
      reservations: promised.map(({ by, set = "s", amount, dimensions = {}, forced = false }) => ({
        reservedBy: { uid: by },
        set,
        amount,
        dimensions,
        forced,
      })),
      contributingGrantRefs: shares.map(([name, amount, generation]) => ({
        name,
        namespace: "milo-system",
        amount,
        lastObservedGeneration: generation,
      })),
      ...more,
    },
  };
}

export function total({ limit, allocated }: Pick<Shown, "limit" | "allocated">): Content {
  return {
    apiVersion,
    kind: "EffectiveResourceGrant",
    metadata: { name: "total", namespace: "milo-system", uid: "total" },
    spec: { consumerRef: organization, resourceType: "x/things" },
    status: { totalLimit: limit, totalAllocated: allocated, totalReserved: 0, available: limit - allocated },
  };
}

export interface Given {
  readonly type?: string;
  readonly amount: number;
  readonly only?: Readonly<Record<string, string>>;
}

export function grant(name: string, given: readonly Given[], generation = 1, more: Content = {}): Content {
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
