import {
  conflict,
  failure,
  invalidObject,
  resourceNotFound,
  StatusError,
  unexplained,
} from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";
import { invalid } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { quote } from "@milo-quota/kubernetes/protocol/go-quote.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import type { Admitted } from "./admission/admission-chain.ts";
import { storedAs } from "./admission/admission-plugin.ts";
import { replacement } from "./admission/admission-requests.ts";
import { createOwned, inNamespace } from "./create.ts";
import { ownedAfterUpdate, sameButForTimes } from "./field-ownership.ts";
import type { ApiObject } from "./kinds/api-object.ts";
import { servedObject, storedForm } from "./kinds/served-version.ts";
import { shapedUpdate } from "./kinds/shape.ts";
import { requireSameSchema } from "./lifecycle/definition-lifecycle.ts";
import { finalizersOf, withMetadata } from "./metadata/metadata.ts";
import { distinctOwners } from "./metadata/owners.ts";
import { keyOf, resourceOf, storedResource, type WriteRequest } from "./object-request.ts";
import type { Registry } from "./registry.ts";
import { requireInView, requireWritable, storedInView } from "./scoped-view.ts";
import { removeStored, storeChange } from "./store-change.ts";
import { unstored } from "./unstored.ts";

/**
 * Makes the next state of an object from the one that is stored: a new object that a client sent, or a patch applied.
 * `undefined` asks for the state of an object that does not exist; what throws NotFound makes none.
 * Managed fields are its business.
 */
export type NextState = (current: ApiObject | undefined) => ApiObject;

export interface Updated {
  readonly stored: StoredObject;
  readonly created: boolean;
}

const modifiedMeanwhile = "the object has been modified; please apply your changes to the latest version and try again";

/** The state that a client sent whole. */
export function nextByReplacement(sent: ApiObject, request: WriteRequest, clock: Pick<Clock, "now">): NextState {
  const object = distinctOwners(sent, request);
  return (current) => {
    if (current === undefined && request.kind.createsOnUpdate !== true) {
      throw notThere(request, object.metadata.name as string);
    }
    if (current !== undefined) checkIdentity(object, current, request);
    return ownedAfterUpdate(current, object, request, clock.now());
  };
}

/** How often a write that names no version starts over because somebody else was faster. */
const attemptsMax = 100;

/** Changes a stored object, starting over when somebody else was faster, unless the client named the version it knows. */
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
    await registry.store.quiet(key);
    const current = storedInView(registry, request, name);
    if (current === undefined) return { stored: await makeNew(registry, request, name, next), created: true };
    const stored = await writeOver(registry, request, current, next);
    if (stored !== undefined) return { stored, created: false };
  }
  throw new StatusError(conflict(resourceOf(request), name, modifiedMeanwhile));
}

/** A part of an object that does not exist makes none; and whoever makes one needs the right to create. */
async function makeNew(
  registry: Registry,
  request: WriteRequest,
  name: string,
  next: NextState,
): Promise<StoredObject> {
  const object = next(undefined);
  if (request.subresource !== "") throw notThere(request, name);
  await request.mayCreate?.();
  return createOwned(registry, request, object);
}

/** Undefined when somebody else wrote first, and it is worth another try. */
async function writeOver(
  registry: Registry,
  request: WriteRequest,
  current: StoredObject,
  next: NextState,
): Promise<StoredObject | undefined> {
  const { kind } = request;
  const old = servedObject(current, kind);
  const wanted = inNamespace(next(old), request);
  const versioned = withVersion(wanted, old, request);
  const mutated = await registry.admission.mutate(replacement(request, versioned, old), versioned, request.signal);
  const shaped = shapedUpdate(withSystemFields(mutated, old), old, request);
  requireInView(request, shaped);
  const admitted = await registry.admission.validate(replacement(request, shaped, old), request.signal);
  try {
    const stored = await storeOver(registry, request, admitted, { current, old, shaped });
    const isStored = stored !== undefined && stored !== current && stored.revision > 0;
    admitted.settle(isStored ? storedAs(stored) : { stored: false });
    // A client that named a version is refused at the next try, when its version is no longer the stored one.
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

/** The version before, when nothing changes; undefined when somebody else wrote first. */
async function storeOver(
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
  const object = storedForm(shaped, request.kind);
  if (isFinalized(shaped, old)) {
    const isGone = request.dryRun || (await removeStored(registry, current, object)).ok;
    return isGone ? unstored(key, object) : undefined;
  }
  if (sameButForTimes(shaped, old)) return current;
  if (request.dryRun) return unstored(key, object);
  const write = { key, expected, object, deleted: false };
  const result = await storeChange(registry, admitted, { write, lastCheck }, request.signal);
  return result.ok ? result.stored : undefined;
}

/** A client that names a UID means that object and no other of the name. */
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

/** A client that names a version has its write refused when there is a newer one. */
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
    throw new StatusError(unexplained(`strconv.ParseUint: parsing ${quote(given)}: invalid syntax`));
  }
  if (BigInt(given) > revisionMax) {
    throw new StatusError(unexplained(`strconv.ParseUint: parsing ${quote(given)}: value out of range`));
  }
  if (BigInt(given) !== BigInt(old.metadata.resourceVersion as string)) {
    throw new StatusError(conflict(resourceOf(request), name, modifiedMeanwhile));
  }
  return wanted;
}

/** What the server alone writes stays as it is. */
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

/** Whoever takes away the last finalizer of an object that is being deleted deletes it. */
function isFinalized(object: ApiObject, old: ApiObject): boolean {
  return (
    old.metadata.deletionTimestamp !== undefined &&
    finalizersOf(object).length === 0 &&
    (old.metadata.deletionGracePeriodSeconds ?? 0) === 0 &&
    !holdsNamespace(object)
  );
}

/** A namespace has finalizers of its own kind, in its spec. */
function holdsNamespace(object: ApiObject): boolean {
  if (object.apiVersion !== "v1" || object.kind !== "Namespace") return false;
  const spec = object["spec"] as { readonly finalizers?: readonly string[] } | undefined;
  return (spec?.finalizers ?? []).length > 0;
}

/** What a path names and what an object is called have to be the same. */
export function requireName(object: ApiObject, name: string): ApiObject {
  const { name: given = "" } = object.metadata;
  if (given === name) return object;
  const message =
    given === ""
      ? `the name of the object (${name} based on URL) was undeterminable: name must be provided`
      : `the name of the object (${given}) does not match the name on the URL (${name})`;
  throw new StatusError(failure("BadRequest", message));
}

/** What a client gets who changes what is not there. */
export function notThere(request: WriteRequest, name: string): StatusError {
  return new StatusError(resourceNotFound(resourceOf(request), name));
}
