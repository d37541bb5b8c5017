import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ManagedFieldsEntry } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { Comparison } from "../fields/compare-objects.ts";
import { objectPassesFastTypeCheck } from "../fields/fast-type-check.ts";
import { isEmptySet, noFields } from "../fields/field-set.ts";
import { mergeTypeOf } from "../fields/merge-type.ts";
import { typeFault } from "../fields/type-issues.ts";
import { isTooDeep } from "../patch-failure.ts";
import { capOwners } from "./cap-owners.ts";
import { gainedBy, ownedAfter } from "./comparison-cache.ts";
import { blankObject, type FieldScope, metadataOf, withoutManagedFields } from "./field-scope.ts";
import { cachedEntries, type Maker } from "./managed-entries-cache.ts";
import { decodeManagedFields, encodeManagedFields, resetsManagedFields } from "./managed-fields.ts";
import { nobody, type Owners, ownerIdentity } from "./owner.ts";
import type { ObjectChange } from "./owner-references.ts";
import { comparisonOf, reconcileOwners, settleOwners } from "./settle-owners.ts";

export interface TrackedUpdate {
  /** What is stored; undefined for an object that is being made. */
  readonly live: JsonObject | undefined;
  /** What is to be stored, as the client sent or patched it, managed fields included. */
  readonly updated: JsonObject;
  readonly manager: string;
  readonly scope: FieldScope;
  readonly nowMs: number;
}

/**
 * The managed fields of an object after a create, an update or a patch that is not an apply. Undefined when it has none:
 * nobody tracks it, a client had them forgotten, or it does not fit its schema.
 */
export function trackUpdate(update: TrackedUpdate): readonly ManagedFieldsEntry[] | undefined {
  const { live, updated, scope } = update;
  const owners = ownersBefore(update);
  const change = changeOf(live ?? blankObject(scope), updated);
  const isTracked = owners.size > 0 || (ownValue(metadataOf(change.before), "uid") ?? "") === "";
  if (!isTracked || !fits(change, scope)) return undefined;
  const comparison = comparisonOf(change, scope);
  return cachedEntries(owners, comparison, makerOf(update), () =>
    encodeManagedFields(capOwners(ownersAfterUpdate(change, owners, { ...update, comparison }))),
  );
}

/**
 * A client may set managed fields itself, but not through a subresource. One that leaves them out, or sends what nobody
 * understands, changes nothing.
 */
function ownersBefore({ live, updated, scope }: TrackedUpdate): Owners {
  const sent = ownValue(metadataOf(updated), "managedFields");
  const stored = live === undefined ? undefined : ownValue(metadataOf(live), "managedFields");
  if (scope.subresource === "") {
    if (resetsManagedFields(sent)) return nobody;
    const decoded = decodeManagedFields(sent);
    if (decoded.ok && decoded.owners.size > 0) return decoded.owners;
  }
  const decoded = decodeManagedFields(stored);
  return decoded.ok ? decoded.owners : nobody;
}

/** Metadata that is the same on both sides stays the same. */
function changeOf(live: JsonObject, updated: JsonObject): ObjectChange {
  const before = withoutManagedFields(live);
  const isSame = live["metadata"] !== undefined && live["metadata"] === updated["metadata"];
  const after = isSame ? { ...updated, metadata: metadataOf(before) } : withoutManagedFields(updated);
  return { before, after };
}

function fits({ before, after }: ObjectChange, { apiVersion, schemaOf }: FieldScope): boolean {
  const schema = schemaOf(apiVersion);
  if (schema === undefined) return false;
  const type = mergeTypeOf(schema);
  const isTyped = (object: JsonObject): boolean =>
    objectPassesFastTypeCheck(type, object) || (!isTooDeep(object) && typeFault(type, object, "allowed") === undefined);
  return isTyped(before) && isTyped(after);
}

interface Made extends Pick<TrackedUpdate, "manager" | "scope" | "nowMs"> {
  /** Of the change, by whoever has made one. */
  readonly comparison?: Comparison;
}

function makerOf({ manager, scope, nowMs }: Made): Maker {
  return {
    manager: manager === "" ? "unknown" : manager,
    operation: "Update",
    apiVersion: scope.apiVersion,
    subresource: scope.subresource,
    timeSeconds: Math.floor(nowMs / 1000),
  };
}

/** What was changed is added to what the manager owns already; only then its time moves. */
export function ownersAfterUpdate(change: ObjectChange, before: Owners, made: Made): Owners {
  const { scope, comparison = comparisonOf(change, scope) } = made;
  const owners = reconcileOwners(before, scope);
  const settled = settleOwners(change, owners, scope, { self: "", force: true, comparison });
  if (settled.outcome !== "settled") throw new Error("a forced change has no conflicts");
  if (isEmptySet(gainedBy(comparison))) return settled.owners;
  const maker = makerOf(made);
  const identity = ownerIdentity(maker);
  const last = owners.get(identity);
  const fields = ownedAfter(last?.fields ?? noFields, comparison);
  const owner = last?.fields === fields && last.timeSeconds === maker.timeSeconds ? last : { ...maker, fields };
  return sameOwners(before, new Map(settled.owners).set(identity, owner));
}

/** Those before, when they are what they were: then so are their entries. */
function sameOwners(before: Owners, after: Owners): Owners {
  if (before.size !== after.size) return after;
  for (const [identity, owner] of after) if (before.get(identity) !== owner) return after;
  return before;
}
