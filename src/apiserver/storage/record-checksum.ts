import { crc32 } from "node:zlib";
import type { LogRecord } from "./record-log.ts";

/** Over everything a record says. Made when it is written, compared when it is read. */
export function checksumOf({ revision, key, deleted, text }: LogRecord): number {
  const { plane, resource, namespace, name } = key;
  return crc32(text, crc32([revision, deleted ? 1 : 0, plane, resource, namespace, name].join("\0")));
}

export function headChecksum(format: number, compacted: number): number {
  return crc32(`${format}\0${compacted}`);
}
