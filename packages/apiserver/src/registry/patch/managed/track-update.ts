import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ManagedFieldsEntry } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { Comparison } from "../fields/compare-objects.ts";
import { objectPassesFastTypeCheck } from "../fields/fast-type-check.ts";
import { isEmptySet, noFields } from "../fields/field-set.ts";
import { mergeTypeOf } from "../fields/merge-type.ts";
import { typeFault } from "../fields/type-issues.ts";
import { isTooDeep } from "../patch-errors.ts";
import { capOwners } from "./cap-owners.ts";
import { fieldsAfter, fieldsGained } from "./comparison-cache.ts";
import { blankObject, type FieldScope, metadataOf, withoutManagedFields } from "./field-scope.ts";
import { type ChangeAuthor, cachedEntries } from "./managed-entries-cache.ts";
import { decodeManagedFields, encodeManagedFields, resetsManagedFields } from "./managed-fields.ts";
import { noOwners, type Owners, ownerIdentity } from "./owner.ts";
import type { ObjectChange } from "./owner-references.ts";
import { comparisonOf, reconcileOwners, updateOwners } from "./update-owners.ts";

export interface TrackedUpdate {
  /** The stored object; undefined for a create. */
  readonly live: JsonObject | undefined;
  /** The object to store, as the client sent or patched it, including managed fields. */
  readonly updated: JsonObject;
  readonly manager: string;
  readonly scope: FieldScope;
  readonly nowMs: number;
}

/**
 * The managed fields after a create, an update, or a patch other than apply. Undefined when the object has none: it is
 * not tracked, a client reset them, or it does not conform to its schema.
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
 * A client may set managed fields itself, but not through a subresource. Absent or undecodable managed fields change
 * nothing.
 */
function ownersBefore({ live, updated, scope }: TrackedUpdate): Owners {
  const sent = ownValue(metadataOf(updated), "managedFields");
  const stored = live === undefined ? undefined : ownValue(metadataOf(live), "managedFields");
  if (scope.subresource === "") {
    if (resetsManagedFields(sent)) return noOwners;
    const decoded = decodeManagedFields(sent);
    if (decoded.ok && decoded.owners.size > 0) return decoded.owners;
  }
  const decoded = decodeManagedFields(stored);
  return decoded.ok ? decoded.owners : noOwners;
}

/** Identical metadata stays identical, so that comparisons can skip it. */
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

interface ChangeMade extends Pick<TrackedUpdate, "manager" | "scope" | "nowMs"> {
  /** The comparison, if the caller has it already. */
  readonly comparison?: Comparison;
}

function makerOf({ manager, scope, nowMs }: ChangeMade): ChangeAuthor {
  return {
    manager: manager === "" ? "unknown" : manager,
    operation: "Update",
    apiVersion: scope.apiVersion,
    subresource: scope.subresource,
    timeSeconds: Math.floor(nowMs / 1000),
  };
}

/** Changed fields are added to those of the manager; its time changes only then. */
export function ownersAfterUpdate(change: ObjectChange, before: Owners, made: ChangeMade): Owners {
  const { scope, comparison = comparisonOf(change, scope) } = made;
  const owners = reconcileOwners(before, scope);
  const settled = updateOwners(change, owners, scope, { self: "", force: true, comparison });
  if (settled.outcome !== "settled") throw new Error("a forced change has no conflicts");
  if (isEmptySet(fieldsGained(comparison))) return settled.owners;
  const maker = makerOf(made);
  const identity = ownerIdentity(maker);
  const last = owners.get(identity);
  const fields = fieldsAfter(last?.fields ?? noFields, comparison);
  const owner = last?.fields === fields && last.timeSeconds === maker.timeSeconds ? last : { ...maker, fields };
  return sameOwners(before, new Map(settled.owners).set(identity, owner));
}

/** The owners before, if they are equal: then their cached entries apply. */
function sameOwners(before: Owners, after: Owners): Owners {
  if (before.size !== after.size) return after;
  for (const [identity, owner] of after) if (before.get(identity) !== owner) return after;
  return before;
}
