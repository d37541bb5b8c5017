import { type Comparison, compareObjects } from "../fields/compare-objects.ts";
import { type FieldSet, isEmptySet, noFields } from "../fields/field-set.ts";
import { type MergeType, mergeTypeOf } from "../fields/merge-type.ts";
import { reconcileFields } from "../fields/reconcile-fields.ts";
import { cachedComparison, fieldsKept, fieldsLost } from "./comparison-cache.ts";
import type { FieldScope } from "./field-scope.ts";
import { eachOwner, type Owner, type Owners, withFields } from "./owner.ts";
import type { ObjectChange } from "./owner-references.ts";

/** Fields of another manager that a change would take. */
export interface Conflict {
  readonly owner: Owner;
  readonly fields: FieldSet;
}

export type OwnersResult =
  | { readonly outcome: "settled"; readonly owners: Owners; readonly comparison: Comparison }
  | { readonly outcome: "conflicts"; readonly conflicts: readonly Conflict[] };

/**
 * Ownership after a change by `self`: others lose changed and removed fields. Without force, changing fields of others
 * is a conflict. Owners in versions that are no longer served are dropped.
 */
export function updateOwners(
  change: ObjectChange,
  owners: Owners,
  scope: FieldScope,
  by: { readonly self: string; readonly force: boolean; readonly comparison?: Comparison },
): OwnersResult {
  const comparisonIn = comparisons(change, scope, by.comparison);
  const conflicts = by.force ? [] : conflictsOf(owners, by.self, comparisonIn);
  if (conflicts.length > 0) return { outcome: "conflicts", conflicts };
  const settled = eachOwner(owners, (owner, identity) => {
    if (identity === by.self) return owner;
    const comparison = comparisonIn(owner.apiVersion);
    return comparison && withFields(owner, fieldsKept(owner.fields, comparison));
  });
  return { outcome: "settled", owners: settled, comparison: comparisonIn(scope.apiVersion) as Comparison };
}

function conflictsOf(
  owners: Owners,
  self: string,
  comparisonIn: (apiVersion: string) => Comparison | undefined,
): readonly Conflict[] {
  return [...owners].flatMap(([identity, owner]) => {
    const comparison = identity === self ? undefined : comparisonIn(owner.apiVersion);
    const taken = comparison === undefined ? noFields : fieldsLost(owner.fields, comparison);
    return isEmptySet(taken) ? [] : [{ owner, fields: taken }];
  });
}

/** One comparison per version, cached; undefined for versions that are not served. */
function comparisons(
  change: ObjectChange,
  scope: FieldScope,
  known: Comparison | undefined,
): (apiVersion: string) => Comparison | undefined {
  const made = new Map<string, Comparison | undefined>();
  if (known !== undefined) made.set(scope.apiVersion, known);
  return (apiVersion) => {
    if (!made.has(apiVersion)) made.set(apiVersion, compareIn(apiVersion, change, scope));
    return made.get(apiVersion);
  };
}

/** The comparison in the version of the request, which is always served. */
export function comparisonOf(change: ObjectChange, scope: FieldScope): Comparison {
  return compareIn(scope.apiVersion, change, scope) as Comparison;
}

function compareIn(apiVersion: string, change: ObjectChange, scope: FieldScope): Comparison | undefined {
  const schema = scope.schemaOf(apiVersion);
  if (schema === undefined) return undefined;
  const type = mergeTypeOf(schema);
  if (apiVersion !== scope.apiVersion) return compareObjects(type, change.before, change.after);
  return cachedComparison(type, scope.resetFields, change);
}

/** Adapts owners to the current schemas. */
export function reconcileOwners(owners: Owners, scope: FieldScope): Owners {
  return eachOwner(owners, (owner) => {
    const schema = scope.schemaOf(owner.apiVersion);
    return schema && withFields(owner, reconciled(mergeTypeOf(schema), owner.fields));
  });
}

/** Field sets that already conform to a type, as nearly all do. */
const reconciledTo = new WeakMap<FieldSet, MergeType>();

function reconciled(type: MergeType, fields: FieldSet): FieldSet {
  if (reconciledTo.get(fields) === type) return fields;
  const result = reconcileFields(type, fields);
  reconciledTo.set(result, type);
  return result;
}
