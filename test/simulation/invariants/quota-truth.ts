import type { ObjectKey } from "@milo-quota/apiserver/storage/object-key.ts";
import type { StoredChange, StoredObject } from "../world/world.ts";
import { readStoredBucket, type StoredBucket } from "./stored-bucket.ts";
import { readStoredClaim, type StoredClaim } from "./stored-claim.ts";
import { readStoredGrant, type StoredGrant } from "./stored-grant.ts";
import { readStoredPolicy, type StoredPolicy } from "./stored-policy.ts";
import { readStoredRegistration, type StoredRegistration } from "./stored-registration.ts";

/** One durable write, parsed. */
export type QuotaChange =
  | Changed<"claim", StoredClaim>
  | Changed<"bucket", StoredBucket>
  | Changed<"grant", StoredGrant>
  | Changed<"registration", StoredRegistration>
  | Changed<"policy", StoredPolicy>
  | Changed<"object", StoredObject>
  | Changed<"other", StoredObject>;

interface Changed<About extends string, Thing> {
  readonly about: About;
  readonly atMs: number;
  /** Undefined for a create. */
  readonly before: Thing | undefined;
  /** Undefined for a delete. */
  readonly after: Thing | undefined;
}

const group = ".quota.miloapis.com";

/** Kinds that servers write for their own use. */
const ofServers = new Set(["leases.coordination.k8s.io", "events", "events.events.k8s.io"]);

/** The stored state of quota, updated with every durable write. */
export class QuotaTruth {
  readonly claims = new Map<string, StoredClaim>();
  /** Ledger buckets (without dimensions), by consumer and resource type. */
  readonly buckets = new Map<string, StoredBucket>();
  /** Buckets with dimensions. No decision reads them. */
  readonly dimensionBuckets = new Map<string, StoredBucket>();
  readonly effectiveGrants = new Map<string, StoredObject>();
  readonly grants = new Map<string, StoredGrant>();
  readonly registrations = new Map<string, StoredRegistration>();
  readonly policies = new Map<string, StoredPolicy>();
  readonly grantPolicies = new Map<string, StoredObject>();
  /** Objects of all other kinds, by UID. */
  readonly objects = new Map<string, StoredObject>();
  /** Every version of a grant's spec, by name and generation. A name may be used again. */
  readonly #grantHistory = new Map<string, StoredGrant[]>();

  take({ type, atMs, now }: StoredChange): QuotaChange {
    const after = type === "deleted" ? undefined : now;
    switch (now.key.resource) {
      case `resourceclaims${group}`:
        return {
          about: "claim",
          atMs,
          ...swap(this.claims, keyText(now.key), after && readStoredClaim(now.key, now.object)),
        };
      case `allowancebuckets${group}`:
        return this.#takeBucket(now, after, atMs);
      case `resourcegrants${group}`:
        return this.#takeGrant(now, after, atMs);
      case `resourceregistrations${group}`: {
        const registration = after && readStoredRegistration(now.key, now.object);
        return { about: "registration", atMs, ...swap(this.registrations, keyText(now.key), registration) };
      }
      case `claimcreationpolicies${group}`:
        return { about: "policy", atMs, ...swap(this.policies, keyText(now.key), after && readStoredPolicy(now)) };
      case `grantcreationpolicies${group}`:
        return { about: "other", atMs, ...swap(this.grantPolicies, keyText(now.key), after) };
      case `effectiveresourcegrants${group}`:
        return { about: "other", atMs, ...swap(this.effectiveGrants, keyText(now.key), after) };
      default:
        if (ofServers.has(now.key.resource) || now.key.resource.endsWith(group))
          return { about: "other", atMs, before: after && now, after };
        return { about: "object", atMs, ...swap(this.objects, now.object.metadata.uid ?? "", after) };
    }
  }

  /** The grants that ever had this name and generation; several if the name was used again. */
  grantVersions(plane: string, namespace: string, name: string, generation: bigint): readonly StoredGrant[] {
    return this.#grantHistory.get(`${plane}/${namespace}/${name}/${generation}`) ?? [];
  }

  claimByUid(uid: string): StoredClaim | undefined {
    for (const claim of this.claims.values()) if (claim.uid === uid) return claim;
    return undefined;
  }

  #takeBucket(now: StoredObject, after: StoredObject | undefined, atMs: number): QuotaChange {
    const bucket = readStoredBucket(now.key, now.object, Buffer.byteLength(now.text));
    const kept = after && bucket;
    if (bucket.dimensionKey === "") return { about: "bucket", atMs, ...swap(this.buckets, bucket.id, kept) };
    swap(this.dimensionBuckets, `${bucket.id} ${bucket.dimensionKey}`, kept);
    return { about: "other", atMs, before: now, after };
  }

  #takeGrant(now: StoredObject, after: StoredObject | undefined, atMs: number): QuotaChange {
    const grant = readStoredGrant(now.key, now.object);
    const { plane, namespace, name } = now.key;
    const at = `${plane}/${namespace}/${name}/${grant.generation}`;
    const known = this.#grantHistory.get(at) ?? [];
    if (!known.some(({ uid }) => uid === grant.uid)) this.#grantHistory.set(at, [...known, grant]);
    return { about: "grant", atMs, ...swap(this.grants, keyText(now.key), after && grant) };
  }
}

export function keyText({ plane, resource, namespace, name }: ObjectKey): string {
  return `${plane}/${resource}/${namespace}/${name}`;
}

function swap<Thing>(
  map: Map<string, Thing>,
  key: string,
  after: Thing | undefined,
): { readonly before: Thing | undefined; readonly after: Thing | undefined } {
  const before = map.get(key);
  if (after === undefined) map.delete(key);
  else map.set(key, after);
  return { before, after };
}
