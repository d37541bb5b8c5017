import type { ObjectKey } from "@milo-quota/apiserver/storage/object-key.ts";
import type { TrueChange, TrueObject } from "../world/world.ts";
import { readTrueClaim, type TrueClaim } from "./true-claim.ts";
import { readTrueGrant, type TrueGrant } from "./true-grant.ts";
import { readTruePage, type TruePage } from "./true-page.ts";
import { readTruePolicy, type TruePolicy } from "./true-policy.ts";
import { readTrueRegistration, type TrueRegistration } from "./true-registration.ts";

/** One durable write, in the words of quota. */
export type QuotaChange =
  | Changed<"claim", TrueClaim>
  | Changed<"page", TruePage>
  | Changed<"grant", TrueGrant>
  | Changed<"registration", TrueRegistration>
  | Changed<"policy", TruePolicy>
  | Changed<"object", TrueObject>
  | Changed<"other", TrueObject>;

interface Changed<About extends string, Thing> {
  readonly about: About;
  readonly atMs: number;
  /** Undefined: it is new. */
  readonly before: Thing | undefined;
  /** Undefined: it is gone. */
  readonly after: Thing | undefined;
}

const group = ".quota.miloapis.com";

/** What servers write for themselves, at any time. */
const ofServers = new Set(["leases.coordination.k8s.io", "events", "events.events.k8s.io"]);

/** Everything that is stored about quota, kept up to date with every write. */
export class QuotaTruth {
  readonly claims = new Map<string, TrueClaim>();
  /** Buckets without dimensions, by the consumer and resource type that they are of. */
  readonly pages = new Map<string, TruePage>();
  /** Buckets with dimensions. No decision reads them. */
  readonly views = new Map<string, TruePage>();
  readonly totals = new Map<string, TrueObject>();
  readonly grants = new Map<string, TrueGrant>();
  readonly registrations = new Map<string, TrueRegistration>();
  readonly policies = new Map<string, TruePolicy>();
  readonly grantPolicies = new Map<string, TrueObject>();
  /** Objects of all other kinds, by UID. */
  readonly objects = new Map<string, TrueObject>();
  /** Every spec that a grant ever had, by its name and generation. A name may be used again. */
  readonly #grantHistory = new Map<string, TrueGrant[]>();

  take({ type, atMs, now }: TrueChange): QuotaChange {
    const after = type === "deleted" ? undefined : now;
    switch (now.key.resource) {
      case `resourceclaims${group}`:
        return {
          about: "claim",
          atMs,
          ...swap(this.claims, keyText(now.key), after && readTrueClaim(now.key, now.object)),
        };
      case `allowancebuckets${group}`:
        return this.#takeBucket(now, after, atMs);
      case `resourcegrants${group}`:
        return this.#takeGrant(now, after, atMs);
      case `resourceregistrations${group}`: {
        const registration = after && readTrueRegistration(now.key, now.object);
        return { about: "registration", atMs, ...swap(this.registrations, keyText(now.key), registration) };
      }
      case `claimcreationpolicies${group}`:
        return { about: "policy", atMs, ...swap(this.policies, keyText(now.key), after && readTruePolicy(now)) };
      case `grantcreationpolicies${group}`:
        return { about: "other", atMs, ...swap(this.grantPolicies, keyText(now.key), after) };
      case `effectiveresourcegrants${group}`:
        return { about: "other", atMs, ...swap(this.totals, keyText(now.key), after) };
      default:
        if (ofServers.has(now.key.resource) || now.key.resource.endsWith(group))
          return { about: "other", atMs, before: after && now, after };
        return { about: "object", atMs, ...swap(this.objects, now.object.metadata.uid ?? "", after) };
    }
  }

  /** What a grant of this name and generation gave; several answers when the name was used again. */
  grantsOnce(plane: string, namespace: string, name: string, generation: bigint): readonly TrueGrant[] {
    return this.#grantHistory.get(`${plane}/${namespace}/${name}/${generation}`) ?? [];
  }

  claimByUid(uid: string): TrueClaim | undefined {
    for (const claim of this.claims.values()) if (claim.uid === uid) return claim;
    return undefined;
  }

  #takeBucket(now: TrueObject, after: TrueObject | undefined, atMs: number): QuotaChange {
    const bucket = readTruePage(now.key, now.object, Buffer.byteLength(now.text));
    const kept = after && bucket;
    if (bucket.dimensionKey === "") return { about: "page", atMs, ...swap(this.pages, bucket.id, kept) };
    swap(this.views, `${bucket.id} ${bucket.dimensionKey}`, kept);
    return { about: "other", atMs, before: now, after };
  }

  #takeGrant(now: TrueObject, after: TrueObject | undefined, atMs: number): QuotaChange {
    const grant = readTrueGrant(now.key, now.object);
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
