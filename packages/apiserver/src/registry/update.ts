import {
  conflict,
  failure,
  failureWithoutReason,
  invalidObject,
  resourceNotFound,
  StatusError,
} from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";
import { invalid } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { quote } from "@milo-quota/kubernetes/protocol/go-quote.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import type { Admitted } from "./admission/admission-chain.ts";
import { storedAs } from "./admission/admission-plugin.ts";
import { updateRequest } from "./admission/admission-requests.ts";
import { createWithManagedFields, inNamespace } from "./create.ts";
import { dryRunResult } from "./dry-run-result.ts";
import { equalExceptTimes, withManagedFields } from "./field-ownership.ts";
import type { ApiObject } from "./kinds/api-object.ts";
import { prepareUpdate } from "./kinds/prepare-object.ts";
import { servedObject, toStoredForm } from "./kinds/served-version.ts";
import { requireSameSchema } from "./lifecycle/definition-lifecycle.ts";
import { finalizersOf, withMetadata } from "./metadata/metadata.ts";
import { distinctOwners } from "./metadata/owners.ts";
import { keyOf, resourceOf, storedResource, type WriteRequest } from "./object-request.ts";
import type { Registry } from "./registry.ts";
import { requireInView, requireWritable, storedInView } from "./scoped-view.ts";
import { removeStored, storeChange } from "./store-change.ts";

/**
 * Computes the next state of an object from the stored one: a replacement, or a patch. Called with undefined for an
 * object that does not exist, where it may throw NotFound. Includes managed fields.
 */
export type NextState = (current: ApiObject | undefined) => ApiObject;

export interface Updated {
  readonly stored: StoredObject;
  readonly created: boolean;
}

const conflictMessage = "the object has been modified; please apply your changes to the latest version and try again";

/** Replaces the object with the one that the client sent. */
export function nextByReplacement(sent: ApiObject, request: WriteRequest, clock: Pick<Clock, "now">): NextState {
  const object = distinctOwners(sent, request);
  return (current) => {
    if (current === undefined && request.kind.createsOnUpdate !== true) {
      throw notFoundError(request, object.metadata.name as string);
    }
    if (current !== undefined) checkIdentity(object, current, request);
    return withManagedFields(current, object, request, clock.now());
  };
}

/** Attempts of an unconditional write against concurrent writers. */
const attemptsMax = 100;

/** Updates a stored object, retrying on conflicts unless the client gave a resourceVersion. */
export async function updateObject(
  registry: Registry,
  request: WriteRequest,
  name: string,
  next: NextState,
): Promise<Updated> {
  requireWritable(request, name);
  const key = keyOf(request, name);
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    request.signal.throwIfAborted();
    await registry.store.writesSettled(key);
    const current = storedInView(registry, request, name);
    if (current === undefined) return { stored: await createInstead(registry, request, name, next), created: true };
    const stored = await tryUpdate(registry, request, current, next);
    if (stored !== undefined) return { stored, created: false };
  }
  throw new StatusError(conflict(resourceOf(request), name, conflictMessage));
}

/** A subresource write cannot create the object; creating requires the `create` permission. */
async function createInstead(
  registry: Registry,
  request: WriteRequest,
  name: string,
  next: NextState,
): Promise<StoredObject> {
  const object = next(undefined);
  if (request.subresource !== "") throw notFoundError(request, name);
  await request.mayCreate?.();
  return createWithManagedFields(registry, request, object);
}

/** Undefined on a conflict that is worth another attempt. */
async function tryUpdate(
  registry: Registry,
  request: WriteRequest,
  current: StoredObject,
  next: NextState,
): Promise<StoredObject | undefined> {
  const { kind } = request;
  const old = servedObject(current, kind);
  const wanted = inNamespace(next(old), request);
  const versioned = withVersion(wanted, old, request);
  const mutated = await registry.admission.mutate(updateRequest(request, versioned, old), versioned, request.signal);
  const shaped = prepareUpdate(withSystemFields(mutated, old), old, request);
  requireInView(request, shaped);
  const admitted = await registry.admission.validate(updateRequest(request, shaped, old), request.signal);
  try {
    const stored = await storeUpdate(registry, request, admitted, { current, old, shaped });
    const isStored = stored !== undefined && stored !== current && stored.revision > 0;
    admitted.settle(isStored ? storedAs(stored) : { stored: false });
    // With a resourceVersion, the next attempt is rejected because the version is no longer current.
    return stored;
  } catch (error) {
    admitted.settle({ stored: false });
    throw error;
  }
}

interface Replacement {
  readonly current: StoredObject;
  readonly old: ApiObject;
  readonly shaped: ApiObject;
}

/** The previous version when nothing changes; undefined on a conflict. */
async function storeUpdate(
  registry: Registry,
  request: WriteRequest,
  admitted: Admitted,
  { current, old, shaped }: Replacement,
): Promise<StoredObject | undefined> {
  const lastCheck = (): void => {
    requireSameSchema(request);
    request.signal.throwIfAborted();
  };
  lastCheck();
  const { key, revision: expected } = current;
  const object = toStoredForm(shaped, request.kind);
  if (isFinalized(shaped, old)) {
    const isGone = request.dryRun || (await removeStored(registry, current, object)).ok;
    return isGone ? dryRunResult(key, object) : undefined;
  }
  if (equalExceptTimes(shaped, old)) return current;
  if (request.dryRun) return dryRunResult(key, object);
  const write = { key, expected, object, deleted: false };
  const result = await storeChange(registry, admitted, { write, lastCheck }, request.signal);
  return result.ok ? result.stored : undefined;
}

/** A UID in the request must match that of the object. */
function checkIdentity(wanted: ApiObject, old: ApiObject, request: WriteRequest): void {
  const { uid } = wanted.metadata;
  if (!uid || uid === old.metadata.uid) return;
  const { name, namespace, uid: stored } = old.metadata;
  const key = ["/registry", storedResource(request.kind), namespace, name].filter(Boolean).join("/");
  const because = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${stored}`;
  const fault = `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${because}`;
  throw new StatusError(conflict(resourceOf(request), name as string, fault));
}

const revisionMax = 2n ** 64n - 1n;

/** A write with an outdated resourceVersion is rejected. */
function withVersion(wanted: ApiObject, old: ApiObject, request: WriteRequest): ApiObject {
  const { kind } = request;
  const name = old.metadata.name as string;
  const given = wanted.metadata.resourceVersion ?? "";
  if (given === old.metadata.resourceVersion) return wanted;
  if (given === "" || given === "0") {
    if (kind.updatesUnconditionally === true) {
      return withMetadata(wanted, { resourceVersion: old.metadata.resourceVersion });
    }
    const issue = invalid("metadata.resourceVersion", 0, "must be specified for an update");
    throw new StatusError(invalidObject({ group: kind.group, kind: kind.plural }, name, [issue]));
  }
  if (!/^[0-9]+$/.test(given)) {
    throw new StatusError(failureWithoutReason(`strconv.ParseUint: parsing ${quote(given)}: invalid syntax`));
  }
  if (BigInt(given) > revisionMax) {
    throw new StatusError(failureWithoutReason(`strconv.ParseUint: parsing ${quote(given)}: value out of range`));
  }
  if (BigInt(given) !== BigInt(old.metadata.resourceVersion as string)) {
    throw new StatusError(conflict(resourceOf(request), name, conflictMessage));
  }
  return wanted;
}

/** Keeps the fields that only the server writes. */
function withSystemFields(object: ApiObject, old: ApiObject): ApiObject {
  const { uid, creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds, resourceVersion } = old.metadata;
  const { deletionGracePeriodSeconds: given = deletionGracePeriodSeconds } = object.metadata;
  return withMetadata(object, {
    uid: object.metadata.uid || uid,
    creationTimestamp,
    deletionTimestamp: deletionTimestamp ?? object.metadata.deletionTimestamp,
    deletionGracePeriodSeconds: given,
    resourceVersion,
  });
}

/** Removing the last finalizer of a terminating object deletes it. */
function isFinalized(object: ApiObject, old: ApiObject): boolean {
  return (
    old.metadata.deletionTimestamp !== undefined &&
    finalizersOf(object).length === 0 &&
    (old.metadata.deletionGracePeriodSeconds ?? 0) === 0 &&
    !hasNamespaceFinalizers(object)
  );
}

/** Namespaces have finalizers in their spec as well. */
function hasNamespaceFinalizers(object: ApiObject): boolean {
  if (object.apiVersion !== "v1" || object.kind !== "Namespace") return false;
  const spec = object["spec"] as { readonly finalizers?: readonly string[] } | undefined;
  return (spec?.finalizers ?? []).length > 0;
}

/** The name in the object must match the path. */
export function requireName(object: ApiObject, name: string): ApiObject {
  const { name: given = "" } = object.metadata;
  if (given === name) return object;
  const message =
    given === ""
      ? `the name of the object (${name} based on URL) was undeterminable: name must be provided`
      : `the name of the object (${given}) does not match the name on the URL (${name})`;
  throw new StatusError(failure("BadRequest", message));
}

/** The error for a change of a missing object. */
export function notFoundError(request: WriteRequest, name: string): StatusError {
  return new StatusError(resourceNotFound(resourceOf(request), name));
}
