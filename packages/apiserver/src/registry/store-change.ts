import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { WriteResult } from "../storage/object-store.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import type { TransactionResult, Write } from "../storage/transaction.ts";
import type { Admitted } from "./admission/admission-chain.ts";
import type { Companions } from "./admission/companion.ts";
import { type CheckedWrite, prepareCompanion } from "./admission/companions.ts";
import type { Registry } from "./registry.ts";

/** Stores an admitted change, together with its companions. */
export async function storeChange(
  registry: Registry,
  admitted: Admitted,
  change: CheckedWrite,
  signal: AbortSignal,
): Promise<WriteResult> {
  for (;;) {
    const { companions } = admitted;
    if (companions === undefined) {
      change.lastCheck();
      return registry.store.put(change.write.key, change.write.expected, change.write.object);
    }
    const result = await storeWithCompanions(registry, change, companions, signal);
    if (result.outcome === "stored") return { ok: true, stored: ownOf(result.stored, companions) };
    // A conflict on the object is the client's; one on a companion is the plug-in's.
    if (isOwnConflict(result, companions)) return { ok: false, current: result.current };
    await admitted.withoutCompanions(result.outcome, signal);
  }
}

/** Attempts to remove an object together with its companions; after that they are removed later, on their own. */
const removalsMax = 3;

/** Removes an object from the store together with its companions. Every removal goes through here. */
export async function removeStored(
  registry: Registry,
  { key, revision }: Pick<StoredObject, "key" | "revision">,
  last: Write["object"],
): Promise<WriteResult> {
  const { store, admission } = registry;
  const write: Write = { key, expected: revision, object: last, deleted: true };
  for (let tries = 0; tries < removalsMax; tries += 1) {
    const current = store.get(key);
    const companions = current?.revision === revision ? admission.companionsOfRemoval(current) : undefined;
    if (companions === undefined) break;
    const result = await storeWithCompanions(registry, { write, lastCheck: () => undefined }, companions, unending);
    if (result.outcome === "stored") return { ok: true, stored: ownOf(result.stored, companions) };
    if (isOwnConflict(result, companions)) return { ok: false, current: result.current };
  }
  return store.remove(key, revision, last);
}

/** Attempts against concurrent writers: bounds the time of a write that keeps losing. */
const conflictsMax = 20;

type StoreResult = Exclude<TransactionResult, { readonly outcome: "busy" }>;

const { signal: unending } = new AbortController();

async function storeWithCompanions(
  registry: Registry,
  change: CheckedWrite,
  companions: Companions,
  signal: AbortSignal,
): Promise<StoreResult> {
  const { objects, ticket, isRelease } = companions;
  const prepared = prepare(registry, objects);
  if (prepared === undefined) return { outcome: "declined" };
  const others = prepared.map(({ write }) => write);
  const writes = isRelease ? [change.write, ...others] : [...others, change.write];
  for (let tries = 0; tries < conflictsMax; tries += 1) {
    change.lastCheck();
    if (!prepared.every(isStillPossible)) return { outcome: "declined" };
    const result = await registry.store.transact(writes, { ticket, isBeforeRendered: isRelease });
    if (result.outcome !== "busy") return result;
    await settledOrAborted(result.until, signal);
  }
  return { outcome: "declined" };
}

/** Does not wait for a client that disconnected: the last check reports it. */
async function settledOrAborted(until: Promise<unknown>, signal: AbortSignal): Promise<void> {
  let stop: () => void = () => undefined;
  const aborted = new Promise<void>((resolve) => {
    stop = resolve;
    signal.addEventListener("abort", stop, { once: true });
  });
  await Promise.race([until, aborted]);
  signal.removeEventListener("abort", stop);
}

/** Undefined when one of them is invalid. */
function prepare(registry: Registry, objects: Companions["objects"]): readonly CheckedWrite[] | undefined {
  try {
    return objects.map((companion) => prepareCompanion(registry, companion));
  } catch (error) {
    if (error instanceof StatusError) return undefined;
    throw error;
  }
}

function isStillPossible({ lastCheck }: CheckedWrite): boolean {
  try {
    lastCheck();
    return true;
  } catch (error) {
    if (error instanceof StatusError) return false;
    throw error;
  }
}

function isOwnConflict(
  result: StoreResult,
  companions: Companions,
): result is Extract<StoreResult, { readonly outcome: "conflict" }> {
  return result.outcome === "conflict" && result.at === ownIndex(companions);
}

function ownIndex({ objects, isRelease }: Companions): number {
  return isRelease ? 0 : objects.length;
}

function ownOf(stored: readonly StoredObject[], companions: Companions): StoredObject {
  return stored[ownIndex(companions)] as StoredObject;
}
