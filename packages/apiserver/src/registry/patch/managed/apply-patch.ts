import { type JsonObject, jsonEquals, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { type ManagedFieldsEntry, parseApiVersion } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { difference, isEmptySet, recursiveDifference } from "../fields/field-set.ts";
import { mergeObjects } from "../fields/merge-objects.ts";
import { type MergeType, mergeTypeOf } from "../fields/merge-type.ts";
import { fieldsOf } from "../fields/object-fields.ts";
import { type Duplicates, typeFault } from "../fields/type-issues.ts";
import { badPatch, failureWithoutReasonError, requireShallow } from "../patch-errors.ts";
import { blankObject, type FieldScope, metadataOf, withoutIdentity, withoutManagedFields } from "./field-scope.ts";
import { lastAppliedFields, migratesClientSideApply, syncLastApplied } from "./last-applied.ts";
import { decodeManagedFields, encodeManagedFields } from "./managed-fields.ts";
import { type Owner, type Owners, ownerIdentity } from "./owner.ts";
import { pruneApplied } from "./prune-applied.ts";
import { ownersAfterUpdate } from "./track-update.ts";
import { type Conflict, reconcileOwners, updateOwners } from "./update-owners.ts";

export interface ApplyRequest {
  /** The stored object; undefined to create it. */
  readonly live: JsonObject | undefined;
  readonly applied: JsonObject;
  readonly manager: string;
  readonly force: boolean;
  readonly scope: FieldScope;
  readonly nowMs: number;
}

export type ApplyResult =
  | {
      readonly outcome: "applied";
      /** The merged object, without managed fields and before defaulting. */
      readonly object: JsonObject;
      readonly managedFields: readonly ManagedFieldsEntry[] | undefined;
    }
  | { readonly outcome: "conflicts"; readonly conflicts: readonly Conflict[] };

/**
 * Server-side apply: merges a configuration into the stored object, removes fields that its manager no longer applies,
 * and updates ownership. An apply without changes does not touch timestamps. Throws the StatusError of an invalid
 * request.
 */
export function applyPatch(request: ApplyRequest): ApplyResult {
  const { applied, scope, manager } = request;
  requireKind(requireShallow(applied), scope);
  const live = { ...withoutManagedFields(request.live ?? blankObject(scope)), apiVersion: scope.apiVersion };
  const owners = ownersBefore(request, live);
  requireTypes(request, live);
  const first = applyOnce(request, live, owners);
  const result = first.outcome === "conflicts" ? withoutMigrated(first.conflicts, request, live, owners) : first;
  if (result.outcome === "conflicts" || !migratesClientSideApply(manager)) return result;
  return { ...result, object: syncLastApplied(result.object, applied) };
}

/** Fields that were set before tracking began belong to a manager of their own. */
function ownersBefore({ live: stored, scope, nowMs }: ApplyRequest, live: JsonObject): Owners {
  const decoded = decodeManagedFields(stored && ownValue(metadataOf(stored), "managedFields"));
  if (!decoded.ok) throw failureWithoutReasonError(`failed to decode managed fields: ${decoded.fault}`);
  if (decoded.owners.size > 0) return decoded.owners;
  const change = { before: blankObject(scope), after: live };
  return ownersAfterUpdate(change, decoded.owners, { manager: "before-first-apply", scope, nowMs });
}

function applyOnce(
  { applied, force, manager, scope, nowMs }: ApplyRequest,
  live: JsonObject,
  before: Owners,
): ApplyResult {
  const type = typeIn(scope);
  const owners = reconcileOwners(before, scope);
  const fields = recursiveDifference(fieldsOf(type, applied), scope.resetFields);
  const { apiVersion, subresource } = scope;
  const self = { manager, operation: "Apply", apiVersion, subresource } as const;
  const identity = ownerIdentity(self);
  const last = owners.get(identity);
  const claimed: Owner = { ...self, fields, timeSeconds: last?.timeSeconds };
  const claims = new Map(owners).set(identity, claimed);
  const merged = mergeObjects(type, live, applied) as JsonObject;
  const after = { ...pruneApplied(merged, claims, last, scope), apiVersion };
  const settled = updateOwners({ before: live, after }, claims, scope, { self: identity, force });
  if (settled.outcome === "conflicts") return settled;
  const isChanged = !jsonEquals(live, after);
  const owner = isChanged ? { ...claimed, timeSeconds: Math.floor(nowMs / 1000) } : claimed;
  const managedFields = encodeManagedFields(withOwner(settled.owners, identity, owner));
  return { outcome: "applied", object: isChanged ? after : live, managedFields };
}

/** Identity fields have no owner, and a manager without other fields is dropped. */
function withOwner(owners: Owners, identity: string, owner: Owner): Owners {
  const fields = withoutIdentity(owner.fields);
  const claimed = new Map(owners);
  if (isEmptySet(fields)) claimed.delete(identity);
  else claimed.set(identity, { ...owner, fields });
  return claimed;
}

/** Conflicts that stem from client-side apply are ignored; if no others are left, the apply is forced. */
function withoutMigrated(
  conflicts: readonly Conflict[],
  request: ApplyRequest,
  live: JsonObject,
  owners: Owners,
): ApplyResult {
  if (!migratesClientSideApply(request.manager)) return { outcome: "conflicts", conflicts };
  const allowed = lastAppliedFields(live, request.scope);
  const left = conflicts.map(({ owner, fields }) => ({ owner, fields: difference(fields, allowed) }));
  const real = left.filter(({ fields }) => !isEmptySet(fields));
  return real.length > 0
    ? { outcome: "conflicts", conflicts: real }
    : applyOnce({ ...request, force: true }, live, owners);
}

function typeIn({ apiVersion, schemaOf }: FieldScope): MergeType {
  const schema = schemaOf(apiVersion);
  if (schema === undefined) throw new Error(`version ${apiVersion} is not served`);
  return mergeTypeOf(schema);
}

function requireKind(applied: JsonObject, { apiVersion, kind }: FieldScope): void {
  if (ownValue(applied, "apiVersion") !== apiVersion || ownValue(applied, "kind") !== kind) {
    throw badPatch(`invalid object type: ${kindText(applied)}`);
  }
  if (Array.isArray(ownValue(metadataOf(applied), "managedFields"))) {
    throw badPatch("metadata.managedFields must be nil");
  }
}

/** An applied configuration must have no duplicate items; the stored object may have some. */
function requireTypes({ applied, scope }: ApplyRequest, live: JsonObject): void {
  const check = (what: string, object: JsonObject, duplicates: Duplicates): void => {
    const fault = typeFault(typeIn(scope), object, duplicates);
    if (fault !== undefined)
      throw failureWithoutReasonError(`failed to create typed ${what} object (${nameText(object)}): ${fault}`);
  };
  check("patch", applied, "forbidden");
  check("live", live, "allowed");
}

function nameText(object: JsonObject): string {
  const { namespace = "", name = "" } = metadataOf(object);
  return `${String(namespace)}/${String(name)}; ${kindText(object)}`;
}

function kindText(object: JsonObject): string {
  const { apiVersion, kind } = object;
  const { group, version } = parseApiVersion(typeof apiVersion === "string" ? apiVersion : "");
  return `${group}/${version}, Kind=${typeof kind === "string" ? kind : ""}`;
}
