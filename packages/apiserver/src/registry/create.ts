import {
  alreadyExists,
  failure,
  failureWithoutReason,
  StatusError,
} from "@milo-quota/kubernetes/protocol/api-status.ts";
import { formatTime } from "@milo-quota/kubernetes/protocol/time.ts";
import type { ObjectKey } from "../storage/object-key.ts";
import type { WriteResult } from "../storage/object-store.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import type { Admitted } from "./admission/admission-chain.ts";
import { storedAs } from "./admission/admission-plugin.ts";
import { createRequest } from "./admission/admission-requests.ts";
import { dryRunResult } from "./dry-run-result.ts";
import { withManagedFields } from "./field-ownership.ts";
import type { ApiObject } from "./kinds/api-object.ts";
import { prepareNew } from "./kinds/prepare-object.ts";
import { toStoredForm } from "./kinds/served-version.ts";
import { requireLiveDefinition, requireSameSchema } from "./lifecycle/definition-lifecycle.ts";
import { requireLiveNamespace } from "./lifecycle/namespace-lifecycle.ts";
import { requirePlane } from "./lifecycle/plane-lifecycle.ts";
import { withMetadata } from "./metadata/metadata.ts";
import { generatedName } from "./metadata/object-name.ts";
import { distinctOwners } from "./metadata/owners.ts";
import { keyOf, resourceOf, type WriteRequest } from "./object-request.ts";
import type { Registry } from "./registry.ts";
import { requireInView, requireWritable } from "./scoped-view.ts";
import { storeChange } from "./store-change.ts";

/** Attempts to generate a unique name. */
const generatedNamesMax = 8;

/** Stores a new object. Rejects with a StatusError. */
export async function createObject(registry: Registry, request: WriteRequest, sent: ApiObject): Promise<StoredObject> {
  const object = distinctOwners(resetSystemFields(sent, request), request);
  return createWithManagedFields(
    registry,
    request,
    withManagedFields(undefined, object, request, registry.clock.now()),
  );
}

/** The same for an object that has its managed fields already, as after an apply. */
export async function createWithManagedFields(
  registry: Registry,
  request: WriteRequest,
  object: ApiObject,
): Promise<StoredObject> {
  requireWritable(request, object.metadata.name ?? "");
  requireLiveNamespace(registry.store, request, object.metadata.name ?? "");
  const placed = resetSystemFields(request.within?.adopt?.(object) ?? object, request);
  const mutated = await registry.admission.mutate(createRequest(request, placed), placed, request.signal);
  const admitted = resetSystemFields(mutated, request);
  requireInView(request, admitted);
  const isGenerated = !admitted.metadata.name && Boolean(admitted.metadata.generateName);
  for (let attempt = 1; ; attempt += 1) {
    const named = withNewMetadata(admitted, request, registry);
    const stored = await storeNew(registry, request, named);
    if (stored !== undefined) return stored;
    if (!isGenerated) throw new StatusError(alreadyExistsError(registry, request, named));
    if (attempt === generatedNamesMax) throw new StatusError(noUniqueName(request, named));
  }
}

/** Undefined when an object of this name exists. */
async function storeNew(
  registry: Registry,
  request: WriteRequest,
  object: ApiObject,
): Promise<StoredObject | undefined> {
  const shaped = prepareNew(object, request);
  const name = shaped.metadata.name as string;
  requireLiveDefinition(registry, request, name);
  const admitted = await registry.admission.validate(createRequest(request, shaped), request.signal);
  const key = keyOf(request, name);
  try {
    await registry.store.writesSettled(key);
    const result = await putNew(registry, request, admitted, { key, object: toStoredForm(shaped, request.kind) });
    admitted.settle(result.ok && !request.dryRun ? storedAs(result.stored) : { stored: false });
    return result.ok ? result.stored : undefined;
  } catch (error) {
    admitted.settle({ stored: false });
    throw error;
  }
}

async function putNew(
  registry: Registry,
  request: WriteRequest,
  admitted: Admitted,
  { key, object }: { readonly key: ObjectKey; readonly object: ApiObject },
): Promise<WriteResult> {
  // While admission ran, the namespace or definition may have begun to terminate, and the client may have disconnected.
  const lastCheck = (): void => {
    requireLiveNamespace(registry.store, request, key.name);
    requireLiveDefinition(registry, request, key.name);
    requireSameSchema(request);
    requirePlane(registry, request.plane);
    request.signal.throwIfAborted();
  };
  const current = registry.store.get(key);
  if (current !== undefined) return { ok: false, current };
  if (!request.dryRun) {
    return storeChange(
      registry,
      admitted,
      { write: { key, expected: 0, object, deleted: false }, lastCheck },
      request.signal,
    );
  }
  lastCheck();
  return { ok: true, stored: dryRunResult(key, object) };
}

/** The namespace of an object defaults to the request's; any other is rejected. */
export function inNamespace(object: ApiObject, { kind, namespace }: WriteRequest): ApiObject {
  const expected = kind.scope === "Namespaced" ? namespace : "";
  const given = object.metadata.namespace ?? "";
  if (given === expected) return object;
  if (given === "" || expected === "")
    return withMetadata(object, { namespace: expected === "" ? undefined : expected });
  throw new StatusError(
    failure("BadRequest", "the namespace of the provided object does not match the namespace sent on the request"),
  );
}

/** Resets the metadata that the server controls, after admission may have changed it. */
function resetSystemFields(object: ApiObject, request: WriteRequest): ApiObject {
  if (object.metadata.resourceVersion) {
    throw new StatusError(failureWithoutReason("resourceVersion should not be set on objects to be created"));
  }
  return withoutSystemFields(inNamespace(object, request));
}

const noSystemFields = {
  creationTimestamp: undefined,
  uid: undefined,
  deletionTimestamp: undefined,
  deletionGracePeriodSeconds: undefined,
  ...({ selfLink: undefined } as object),
};

function withoutSystemFields(object: ApiObject): ApiObject {
  return withMetadata(object, noSystemFields);
}

function withNewMetadata(object: ApiObject, { kind }: WriteRequest, { random, clock }: Registry): ApiObject {
  const { name, generateName, generation } = object.metadata;
  return withMetadata(object, {
    name: !name && generateName ? generatedName(generateName, random) : name,
    uid: random.uuid(),
    creationTimestamp: formatTime(clock.now()),
    generation: kind.hasGeneration ? 1 : generation,
  });
}

function alreadyExistsError(registry: Registry, request: WriteRequest, object: ApiObject): ReturnType<typeof failure> {
  const name = object.metadata.name as string;
  const status = alreadyExists(resourceOf(request), name);
  const isGoing = registry.store.get(keyOf(request, name))?.object.metadata.deletionTimestamp !== undefined;
  return isGoing ? { ...status, message: `object is being deleted: ${status.message}` } : status;
}

function noUniqueName(request: WriteRequest, object: ApiObject): ReturnType<typeof failure> {
  const status = alreadyExists(resourceOf(request), object.metadata.name as string);
  const message = `${status.message}, the server was not able to generate a unique name for the object`;
  return { ...status, message, details: { ...status.details, retryAfterSeconds: 1 } };
}
