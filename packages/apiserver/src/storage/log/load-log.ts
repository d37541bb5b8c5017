import { Compaction } from "../compaction.ts";
import { VersionedObjects } from "../memory/versioned-objects.ts";
import type { StoreLimits } from "../store-limits.ts";
import { LogDamaged, type LogRecord, type RecordLog } from "./record-log.ts";

export interface LoadedStore {
  readonly objects: VersionedObjects;
  readonly compaction: Compaction;
}

/** A loaded store, and whether its disk has space for all writes. */
interface LoadResult extends LoadedStore {
  readonly hasRoom: boolean;
}

/** Loads a log into memory. The history in the log counts as written now. Throws LogDamaged. */
export async function loadLog(log: RecordLog, nowMs: number, limits: StoreLimits): Promise<LoadResult> {
  const { compacted, pages } = await log.load();
  const loaded = {
    objects: new VersionedObjects(compacted, limits),
    compaction: new Compaction(limits.compactionCount),
  };
  try {
    for await (const page of pages) {
      for (const record of page) take(loaded, record, compacted, nowMs);
    }
  } catch (error) {
    throw error instanceof RangeError ? new LogDamaged(log.location, error.message) : error;
  }
  return { ...loaded, hasRoom: await log.hasRoom() };
}

function take(loaded: LoadedStore, record: LogRecord, compacted: number, nowMs: number): void {
  const owned = { ...record, key: loaded.objects.sharedKey(record.key) };
  if (record.revision > compacted) loaded.objects.apply(owned, undefined, nowMs);
  else restore(loaded, owned, compacted);
  if (!record.more) trim(loaded, nowMs);
}

/** Trims history to its limits, and schedules obsolete records for compaction. */
export function trim({ objects, compaction }: LoadedStore, nowMs: number): void {
  for (let step = objects.trimHistory(nowMs); step !== undefined; step = objects.trimHistory(nowMs))
    compaction.add(step);
}

/** A log that was stopped in the middle of a compaction still has obsolete records. */
function restore({ objects, compaction }: LoadedStore, record: LogRecord, compacted: number): void {
  const obsolete = objects.restore(record);
  if (obsolete.length > 0) compaction.add({ compacted, obsolete });
}
