import { crc32 } from "node:zlib";
import type { LogRecord } from "./record-log.ts";

/** Covers the whole record. Computed when it is written, verified when it is read. */
export function checksumOf(record: LogRecord): number {
  const { revision, key, text } = record;
  const { plane, resource, namespace, name } = key;
  return crc32(text, crc32([revision, flagsOf(record), plane, resource, namespace, name].join("\0")));
}

const deletedFlag = 1;
const moreFlag = 2;

/** The boolean fields of a record, as one number. */
export function flagsOf({ deleted, more }: Pick<LogRecord, "deleted" | "more">): number {
  return (deleted ? deletedFlag : 0) + (more ? moreFlag : 0);
}

export function readFlags(flags: number): Pick<LogRecord, "deleted" | "more"> {
  return { deleted: (flags & deletedFlag) !== 0, more: (flags & moreFlag) !== 0 };
}

export function headChecksum(format: number, compacted: number): number {
  return crc32(`${format}\0${compacted}`);
}
