import { union } from "../fields/field-set.ts";
import { compareFieldText } from "../fields/value-order.ts";
import { type Owner, type Owners, ownerIdentity } from "./owner.ts";

const updatersMax = 10;
const mergedManager = "ancient-changes";

/** Merges the oldest updaters of each version until at most ten are left. */
export function capOwners(owners: Owners): Owners {
  if (owners.size <= updatersMax) return owners;
  const updaters = [...owners].filter(([, { operation }]) => operation === "Update").sort(byAge);
  if (updaters.length <= updatersMax) return owners;
  const capped = new Map(owners);
  const firstOf = new Map<string, string>();
  let count = updaters.length;
  for (const [identity, owner] of updaters) {
    if (count <= updatersMax) break;
    const first = firstOf.get(owner.apiVersion);
    if (first === undefined) {
      firstOf.set(owner.apiVersion, identity);
    } else {
      join(capped, first, identity);
      count -= 1;
    }
  }
  return capped;
}

/** The merged entry has the later time. */
function join(owners: Map<string, Owner>, first: string, identity: string): void {
  const owner = owners.get(identity) as Owner;
  const bucket = { ...owner, manager: mergedManager, subresource: "" };
  const bucketIdentity = ownerIdentity(bucket);
  const older = owners.get(bucketIdentity) ?? (owners.get(first) as Owner);
  if (!owners.has(bucketIdentity)) owners.delete(first);
  owners.delete(identity);
  owners.set(bucketIdentity, { ...bucket, fields: union(owner.fields, older.fields) });
}

function byAge([leftIdentity, left]: [string, Owner], [rightIdentity, right]: [string, Owner]): number {
  return (left.timeSeconds ?? 0) - (right.timeSeconds ?? 0) || compareFieldText(leftIdentity, rightIdentity);
}
