import type { JsonObject, JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { difference, type FieldSet, intersection, isEmptySet, noFields, union } from "../fields/field-set.ts";
import { type MergeType, mergeTypeOf } from "../fields/merge-type.ts";
import { withNamedFields } from "../fields/named-fields.ts";
import { fieldsOf } from "../fields/object-fields.ts";
import { removeFields } from "../fields/remove-fields.ts";
import type { FieldScope } from "./field-scope.ts";
import type { Owner, Owners } from "./owner.ts";

/**
 * Removes fields from a merged object that the applier no longer applies, unless another manager owns them. `owners`
 * include the new configuration. Fields that the applier never owned stay, even inside removed ones.
 */
export function pruneApplied(
  merged: JsonObject,
  owners: Owners,
  last: Owner | undefined,
  scope: FieldScope,
): JsonObject {
  const schema = last === undefined || isEmptySet(last.fields) ? undefined : scope.schemaOf(last.apiVersion);
  if (last === undefined || schema === undefined) return merged;
  const type = mergeTypeOf(schema);
  const lastFields = withNamedFields(type, last.fields);
  const bare = removeFields(type, merged, lastFields);
  const owned = addOwned(merged, bare, owners, { scope, first: last.apiVersion });
  const gone = difference(namedFieldsOf(type, merged), namedFieldsOf(type, owned));
  return removeFields(type, merged, intersection(gone, lastFields)) as JsonObject;
}

/** Adds back fields with owners, version by version, beginning with the version of the pruning. */
function addOwned(
  merged: JsonObject,
  bare: JsonValue,
  owners: Owners,
  { scope, first }: { readonly scope: FieldScope; readonly first: string },
): JsonValue {
  const owned = fieldsByVersion(owners);
  const versions = [...owned.keys()].sort((left, right) => Number(right === first) - Number(left === first));
  return versions.reduce((pruned, apiVersion) => {
    const schema = scope.schemaOf(apiVersion);
    if (schema === undefined) return pruned;
    return addOwnedIn(mergeTypeOf(schema), merged, pruned, owned.get(apiVersion) ?? noFields);
  }, bare);
}

function addOwnedIn(type: MergeType, merged: JsonObject, pruned: JsonValue, owned: FieldSet): JsonValue {
  const kept = union(namedFieldsOf(type, pruned), withNamedFields(type, owned));
  return removeFields(type, merged, difference(namedFieldsOf(type, merged), kept));
}

function fieldsByVersion(owners: Owners): ReadonlyMap<string, FieldSet> {
  const byVersion = new Map<string, FieldSet>();
  for (const { apiVersion, fields } of owners.values()) {
    byVersion.set(apiVersion, union(byVersion.get(apiVersion) ?? noFields, fields));
  }
  return byVersion;
}

function namedFieldsOf(type: MergeType, value: JsonValue): FieldSet {
  return withNamedFields(type, fieldsOf(type, value));
}
