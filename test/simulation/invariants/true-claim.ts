import type { ObjectKey } from "@milo-quota/apiserver/storage/object-key.ts";
import type { JsonObject, JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { amountAt, at, conditionAt, listAt, textAt, textsAt } from "./json-fields.ts";
import { consumerIn, keyOfDimensions, pageId, type TruePart } from "./true-part.ts";

/** A claim as it is stored. */
export interface TrueClaim {
  readonly key: ObjectKey;
  readonly uid: string;
  readonly consumer: string;
  readonly consumerKind: string;
  /** What it asks for. */
  readonly asked: readonly TruePart[];
  readonly state: "pending" | "invalid" | "denied" | "granted";
  /** What it holds; nothing unless it is granted. */
  readonly held: readonly TruePart[];
  readonly deleting: boolean;
  /** What keeps it from going once it is deleted. */
  readonly finalizers: readonly string[];
  /** Undefined for claims that people and services make. */
  readonly automatic: TrueAutomatic | undefined;
  readonly resourceKind: string;
}

/** What a claim says of the object it was made for. */
export interface TrueAutomatic {
  readonly policy: string;
  readonly plane: string;
  readonly namespace: string;
  readonly name: string;
  readonly candidates: readonly string[];
  readonly bound: string;
  /** The object that it is for without a doubt: it is bound to it, or owned by the only one that it may be for. */
  readonly object: string;
}

const prefix = "quota.miloapis.com/";

export function readTrueClaim(key: ObjectKey, object: JsonObject): TrueClaim {
  const spec = at(object, "spec");
  const state = stateOf(object);
  const asked = listAt(spec, "requests").map(partIn);
  return {
    key,
    uid: textAt(object, "metadata", "uid"),
    consumer: consumerIn(at(spec, "consumerRef")),
    consumerKind: groupKindIn(at(spec, "consumerRef")),
    asked,
    state,
    held: state === "granted" ? heldIn(object) : [],
    deleting: textAt(object, "metadata", "deletionTimestamp") !== "",
    finalizers: listAt(object, "metadata", "finalizers").map(String),
    automatic: automaticIn(object),
    resourceKind: at(spec, "resourceRef") === undefined ? "" : groupKindIn(at(spec, "resourceRef")),
  };
}

/** The pages that a claim is on. */
export function pagesOfClaim({ key, consumer, asked }: TrueClaim): ReadonlySet<string> {
  return new Set(asked.map(({ resourceType }) => pageId(key.plane, consumer, resourceType)));
}

/** All objects that a claim may be for, or is for. */
export function objectsOfClaim({ automatic }: TrueClaim): readonly string[] {
  if (automatic === undefined) return [];
  const { candidates, bound } = automatic;
  return [...new Set([...candidates, ...(bound === "" ? [] : [bound])])];
}

function groupKindIn(reference: JsonValue | undefined): string {
  return `${textAt(reference, "apiGroup")}/${textAt(reference, "kind")}`;
}

function stateOf(object: JsonObject): TrueClaim["state"] {
  const granted = conditionAt(object, "Granted");
  if (textAt(granted, "status") === "True") return "granted";
  const reason = textAt(granted, "reason");
  return reason === "QuotaExceeded" ? "denied" : reason === "ValidationFailed" ? "invalid" : "pending";
}

function partIn(request: JsonValue): TruePart {
  const dimensions = textsAt(request, "dimensions");
  return {
    resourceType: textAt(request, "resourceType"),
    dimensions,
    dimensionKey: keyOfDimensions(dimensions),
    amount: amountAt(request, "amount"),
  };
}

function heldIn(object: JsonObject): readonly TruePart[] {
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

function automaticIn(object: JsonObject): TrueAutomatic | undefined {
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
