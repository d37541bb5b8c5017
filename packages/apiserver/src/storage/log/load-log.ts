import { Compaction } from "../compaction.ts";
import { VersionedObjects } from "../memory/versioned-objects.ts";
import type { StoreLimits } from "../store-limits.ts";
import { LogDamaged, type LogRecord, type RecordLog } from "./record-log.ts";

export interface Loaded {
  readonly objects: VersionedObjects;
  readonly compaction: Compaction;
}

/** Reads all of a log into memory. What history the log still holds counts as made now. Throws LogDamaged. */
export async function loadLog(log: RecordLog, nowMs: number, limits: StoreLimits): Promise<Loaded> {
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
    throw error instanceof RangeError ? new LogDamaged(log.place, error.message) : error;
  }
  return loaded;
}

function take(loaded: Loaded, record: LogRecord, compacted: number, nowMs: number): void {
  const owned = { ...record, key: loaded.objects.ownKey(record.key) };
  if (record.revision > compacted) loaded.objects.apply(owned, undefined, nowMs);
  else restore(loaded, owned, compacted);
  if (!record.more) trim(loaded, nowMs);
}

/** Keeps history within its limits, and leaves to compaction what the log need not keep. */
export function trim({ objects, compaction }: Loaded, nowMs: number): void {
  for (let step = objects.forget(nowMs); step !== undefined; step = objects.forget(nowMs)) compaction.add(step);
}

/** A log that was stopped between remembering a compaction and finishing it still holds what it need not. */
function restore({ objects, compaction }: Loaded, record: LogRecord, compacted: number): void {
  const obsolete = objects.restore(record);
  if (obsolete.length > 0) compaction.add({ compacted, obsolete });
}
