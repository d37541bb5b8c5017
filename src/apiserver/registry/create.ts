import { alreadyExists, failure, StatusError, unexplained } from "../../protocol/api-status.ts";
import type { StoredObject } from "../storage/object-store.ts";
import { storedAs } from "./admission.ts";
import { creation } from "./admission-request.ts";
import { type Footing, storeBorn } from "./born-object.ts";
import { requireLiveDefinition, requireSameSchema } from "./definition-lifecycle.ts";
import { ownedAfterUpdate } from "./field-ownership.ts";
import { asFormed, isFormed } from "./forms/formed.ts";
import { timestamp, withMetadata } from "./metadata.ts";
import { requireLiveNamespace } from "./namespace-lifecycle.ts";
import { generatedName } from "./object-name.ts";
import { keyOf, resourceOf, type WriteRequest } from "./object-request.ts";
import { distinctOwners } from "./owners.ts";
import type { Registry } from "./registry.ts";
import { requireInView, requireWritable } from "./scoped-view.ts";
import type { ApiObject } from "./served-kind.ts";
import { storedForm } from "./served-version.ts";
import { shapedNew } from "./shape.ts";
import { unstored } from "./unstored.ts";

/** The answer in a plane that is on its way out, as in one that is not there. */
const planeGone = failure("NotFound", "the server could not find the requested resource");

/** How many names are tried for one prefix. */
const generatedNamesMax = 8;

/** Stores a new object, or says why not. */
export async function createObject(registry: Registry, request: WriteRequest, sent: ApiObject): Promise<StoredObject> {
  return createOwned(registry, request, ownedNew(sent, request, registry.clock.now()));
}

/** A new object with its managed fields. */
export function ownedNew(sent: ApiObject, request: WriteRequest, nowMs: number): ApiObject {
  const object = distinctOwners(unborn(sent, request), request);
  return ownedAfterUpdate(undefined, object, request, nowMs);
}

/** The same for an object whose managed fields are right already, as after an apply. */
export async function createOwned(registry: Registry, request: WriteRequest, object: ApiObject): Promise<StoredObject> {
  requireWritable(request, object.metadata.name ?? "");
  requireLiveNamespace(registry.store, request, object.metadata.name ?? "");
  const placed = unborn(request.within?.adopt?.(object) ?? object, request);
  const mutated = await registry.admission.mutate(creation(request, placed), placed, request.signal);
  const admitted = unborn(mutated, request);
  requireInView(request, admitted);
  const isGenerated = !admitted.metadata.name && Boolean(admitted.metadata.generateName);
  for (let attempt = 1; ; attempt += 1) {
    const named = born(admitted, request, registry);
    const store = (): Promise<StoredObject | undefined> => storeNew(registry, request, named);
    const { uid = "" } = named.metadata;
    const stored = await (request.dryRun ? store() : registry.coming.during(request.plane, uid, store));
    if (stored !== undefined) return stored;
    if (!isGenerated) throw new StatusError(existsAlready(registry, request, named));
    if (attempt === generatedNamesMax) throw new StatusError(noUniqueName(request, named));
  }
}

/** Undefined when there is an object of this name. */
async function storeNew(
  registry: Registry,
  request: WriteRequest,
  object: ApiObject,
): Promise<StoredObject | undefined> {
  const shaped = shapedNew(object, request);
  requireLiveDefinition(registry, request, shaped.metadata.name as string);
  const { takenBack } = registry.store; // whoever lets it in may rely on what has its place by then
  const settle = await registry.admission.validate(creation(request, shaped), request.signal);
  const key = keyOf(request, shaped.metadata.name as string);
  const put = (whole: ApiObject, { together, standing }: Footing = {}): Promise<StoredObject | undefined> =>
    putNew(registry, request, whole, { takenBack, together, standing });
  try {
    await registry.store.quiet(key);
    if (registry.store.get(key) !== undefined) {
      settle({ stored: false });
      return undefined;
    }
    const stored = await (request.bornWith === undefined ? put(shaped) : storeBorn(registry, request, shaped, put));
    settle(stored !== undefined && !request.dryRun ? storedAs(stored) : { stored: false });
    return stored;
  } catch (error) {
    settle({ stored: false });
    throw error;
  }
}

/** The last step: nothing is asked any more before the object has its place. Undefined when there is one of its name. */
async function putNew(
  registry: Registry,
  request: WriteRequest,
  object: ApiObject,
  { takenBack, together, standing }: Footing & { readonly takenBack: number },
): Promise<StoredObject | undefined> {
  const key = keyOf(request, object.metadata.name as string);
  // A namespace or a definition may have begun to end while others were asked, and the client may be gone.
  requireLiveNamespace(registry.store, request, key.name);
  requireLiveDefinition(registry, request, key.name);
  requireSameSchema(request);
  if (registry.isClosing?.(request.plane) === true) throw new StatusError(planeGone);
  request.signal.throwIfAborted();
  const stored = storedForm(object, request.kind);
  if (request.dryRun) return unstored(key, stored);
  const { ordered } = request;
  const result = await registry.store.put(key, 0, stored, { ordered, takenBack, together, standing });
  return result.ok ? result.stored : undefined;
}

/** An object belongs where the request says; one that says otherwise is refused. */
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

/** What a new object may say of itself, whoever sent or changed it: where it is, and nothing that the server decides. */
function unborn(object: ApiObject, request: WriteRequest): ApiObject {
  if (object.metadata.resourceVersion) {
    throw new StatusError(unexplained("resourceVersion should not be set on objects to be created"));
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

function born(object: ApiObject, { kind }: WriteRequest, { random, clock }: Registry): ApiObject {
  const { name, generateName, generation } = object.metadata;
  const named = withMetadata(object, {
    name: !name && generateName ? generatedName(generateName, random) : name,
    uid: random.uuid(),
    creationTimestamp: timestamp(clock.now()),
    generation: kind.hasGeneration ? 1 : generation,
  });
  return isFormed(object) ? asFormed(named) : named;
}

function existsAlready(registry: Registry, request: WriteRequest, object: ApiObject): ReturnType<typeof failure> {
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
