import { StatusError } from "../../protocol/api-status.ts";
import type { JsonObject } from "../../protocol/json-value.ts";
import type { Ground, LogPlace } from "../../protocol/log-place.ts";
import type { ObjectStore, PutOptions, StoredObject } from "../storage/object-store.ts";
import { storedAs } from "./admission.ts";
import type { Settle } from "./admission-chain.ts";
import { replacement } from "./admission-request.ts";
import { ownedAfterUpdate } from "./field-ownership.ts";
import { formedStatus } from "./forms/forms.ts";
import { withMetadata } from "./metadata.ts";
import { keyOf, type WriteRequest } from "./object-request.ts";
import type { Registry } from "./registry.ts";
import { patchedObject } from "./sent-object.ts";
import type { ApiObject } from "./served-kind.ts";
import { shapedUpdate } from "./shape.ts";

/** What a new object is stored on: with a write that is still waiting, or while other objects stay as they are. */
export type Footing = Pick<PutOptions, "together" | "standing">;

/** Stores a new object. Undefined when there is one of its name. */
type StoreNew = (object: ApiObject, footing?: Footing) => Promise<StoredObject | undefined>;

/**
 * Asks whoever makes an object what it is born with, and stores what a create and a write of its status would make of it,
 * in one. All who have a say in such a write are asked. It is stored without where nobody knows a status, or somebody
 * refuses it; or where asking took so long that what the status rests on is on its way to the disk already, and would be
 * seen without it, or is something else by now.
 */
export async function storeBorn(
  registry: Registry,
  request: WriteRequest,
  object: ApiObject,
  store: StoreNew,
): Promise<StoredObject | undefined> {
  const birth = request.dryRun ? undefined : await request.bornWith?.(object);
  if (birth === undefined) return store(object);
  const born = await withStatus(registry, request, object, birth.status);
  await registry.store.quiet(keyOf(request, object.metadata.name as string));
  const footing = footingOf(registry.store, birth.rests);
  if (born === undefined || footing === undefined) {
    born?.settle({ stored: false });
    return store(object);
  }
  try {
    const stored = await store(born.object, footing);
    born.settle(stored === undefined ? { stored: false } : storedAs(stored));
    return stored;
  } catch (error) {
    born.settle({ stored: false });
    throw error;
  }
}

interface Born {
  readonly object: ApiObject;
  /** Tells those who were asked about the status. */
  readonly settle: Settle;
}

/** The version of an object that is changed before it has one. It gets its own when it is stored. */
const unwritten = "0";

/** Undefined when somebody refuses it. */
async function withStatus(
  registry: Registry,
  request: WriteRequest,
  object: ApiObject,
  status: JsonObject,
): Promise<Born | undefined> {
  const { admission, clock } = registry;
  const write: WriteRequest = { ...request, subresource: "status" };
  const old = withMetadata(object, { resourceVersion: unwritten });
  try {
    const wanted = ownedWithStatus(old, status, write, clock.now());
    const mutated = await admission.mutate(replacement(write, wanted, old), wanted, request.signal);
    const shaped = shapedUpdate(mutated, old, write);
    const settle = await admission.validate(replacement(write, shaped, old), request.signal);
    return { object: shaped, settle };
  } catch (error) {
    if (error instanceof StatusError) return undefined;
    throw error;
  }
}

function ownedWithStatus(old: ApiObject, status: JsonObject, write: WriteRequest, nowMs: number): ApiObject {
  const next: JsonObject = { ...(old as JsonObject), status };
  const carefully = (atMs: number): ApiObject =>
    ownedAfterUpdate(old, patchedObject({ value: next, faults: [] }, write), write, atMs);
  return write.vouched === undefined
    ? carefully(nowMs)
    : formedStatus({ old, next, isWhole: false }, write, nowMs, carefully);
}

/** Undefined when there is none any more. */
function footingOf(store: ObjectStore, rests: Ground): Footing | undefined {
  if (rests.how === "together") return companyOf(store, rests.places);
  const standing = rests.places();
  const isStanding = ({ key, revision, takenBack }: LogPlace): boolean =>
    takenBack === store.takenBack && store.isNewest(key, revision);
  return standing.length > 0 && standing.every(isStanding) ? { standing } : undefined;
}

/** The first of these places, if all are still waiting: then what is written now can go to the disk with them. */
function companyOf(store: ObjectStore, places: readonly LogPlace[]): Footing | undefined {
  const isWaiting = ({ revision, takenBack }: LogPlace): boolean =>
    takenBack === store.takenBack && store.isWaiting(revision);
  if (places.length === 0 || !places.every(isWaiting)) return undefined;
  return { together: Math.min(...places.map(({ revision }) => revision)) };
}
