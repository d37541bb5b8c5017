import type { ObjectKey } from "@milo-quota/apiserver/storage/object-key.ts";
import type { JsonObject, JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { amountAt, at, conditionAt, listAt, textAt, textsAt } from "./json-fields.ts";
import { bucketId, consumerIn, keyOfDimensions, type StoredAmount } from "./stored-amount.ts";

/** A stored ResourceClaim. */
export interface StoredClaim {
  readonly key: ObjectKey;
  readonly uid: string;
  readonly consumer: string;
  readonly consumerKind: string;
  readonly requested: readonly StoredAmount[];
  readonly state: "pending" | "invalid" | "denied" | "granted";
  /** Allocations; empty unless the claim is granted. */
  readonly held: readonly StoredAmount[];
  readonly deleting: boolean;
  readonly finalizers: readonly string[];
  /** Undefined for manual claims. */
  readonly automatic: ClaimTarget | undefined;
  readonly resourceKind: string;
}

/** What an automatic claim says about its object. */
export interface ClaimTarget {
  readonly policy: string;
  readonly plane: string;
  readonly namespace: string;
  readonly name: string;
  readonly candidates: readonly string[];
  readonly bound: string;
  /** UID of the bound object, or of the owner if it is the only candidate; empty if neither. */
  readonly object: string;
}

const prefix = "quota.miloapis.com/";

export function readStoredClaim(key: ObjectKey, object: JsonObject): StoredClaim {
  const spec = at(object, "spec");
  const state = stateOf(object);
  const requested = listAt(spec, "requests").map(partIn);
  return {
    key,
    uid: textAt(object, "metadata", "uid"),
    consumer: consumerIn(at(spec, "consumerRef")),
    consumerKind: groupKindIn(at(spec, "consumerRef")),
    requested,
    state,
    held: state === "granted" ? heldIn(object) : [],
    deleting: textAt(object, "metadata", "deletionTimestamp") !== "",
    finalizers: listAt(object, "metadata", "finalizers").map(String),
    automatic: automaticIn(object),
    resourceKind: at(spec, "resourceRef") === undefined ? "" : groupKindIn(at(spec, "resourceRef")),
  };
}

/** The ledger buckets of a claim. */
export function bucketsOfClaim({ key, consumer, requested }: StoredClaim): ReadonlySet<string> {
  return new Set(requested.map(({ resourceType }) => bucketId(key.plane, consumer, resourceType)));
}

/** UIDs of all candidates and of the bound object. */
export function objectsOfClaim({ automatic }: StoredClaim): readonly string[] {
  if (automatic === undefined) return [];
  const { candidates, bound } = automatic;
  return [...new Set([...candidates, ...(bound === "" ? [] : [bound])])];
}

function groupKindIn(reference: JsonValue | undefined): string {
  return `${textAt(reference, "apiGroup")}/${textAt(reference, "kind")}`;
}

function stateOf(object: JsonObject): StoredClaim["state"] {
  const granted = conditionAt(object, "Granted");
  if (textAt(granted, "status") === "True") return "granted";
  const reason = textAt(granted, "reason");
  return reason === "QuotaExceeded" ? "denied" : reason === "ValidationFailed" ? "invalid" : "pending";
}

function partIn(request: JsonValue): StoredAmount {
  const dimensions = textsAt(request, "dimensions");
  return {
    resourceType: textAt(request, "resourceType"),
    dimensions,
    dimensionKey: keyOfDimensions(dimensions),
    amount: amountAt(request, "amount"),
  };
}

function heldIn(object: JsonObject): readonly StoredAmount[] {
  return listAt(object, "status", "allocations").map((allocation) => {
    const dimensions = textsAt(allocation, "dimensions");
    return {
      resourceType: textAt(allocation, "resourceType"),
      dimensions,
      dimensionKey: keyOfDimensions(dimensions),
      amount: amountAt(allocation, "allocatedAmount"),
    };
  });
}

function automaticIn(object: JsonObject): ClaimTarget | undefined {
  if (textAt(object, "metadata", "labels", `${prefix}auto-created`) !== "true") return undefined;
  const note = (name: string): string => textAt(object, "metadata", "annotations", `${prefix}${name}`);
  const plane = note("resource-plane");
  const candidates = note("candidates")
    .split(",")
    .filter((uid) => uid !== "");
  return {
    policy: note("policy"),
    plane: plane === "" ? "root" : plane,
    namespace: textAt(object, "spec", "resourceRef", "namespace"),
    name: textAt(object, "spec", "resourceRef", "name"),
    candidates,
    bound: note("bound"),
    object: note("bound") || onlyOwner(object, candidates),
  };
}

function onlyOwner(object: JsonObject, candidates: readonly string[]): string {
  const owners = listAt(object, "metadata", "ownerReferences").map((owner) => textAt(owner, "uid"));
  const [only = ""] = candidates;
  return candidates.every((uid) => uid === only) && owners.includes(only) ? only : "";
}
