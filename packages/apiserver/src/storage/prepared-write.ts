import { extendObject } from "@milo-quota/kubernetes/protocol/extend-object.ts";
import { isTooDeep } from "@milo-quota/kubernetes/protocol/json-depth.ts";
import {
  depthMax,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  setOwn,
} from "@milo-quota/kubernetes/protocol/json-value.ts";
import { writeJson } from "@milo-quota/kubernetes/protocol/json-writer.ts";
import type { LogRecord } from "./log/record-log.ts";
import { roundTrips } from "./log/round-trips.ts";
import { keyText } from "./memory/key-order.ts";
import type { ParsedObject } from "./memory/stored-version.ts";
import type { ObjectKey } from "./object-key.ts";
import { ObjectTooLarge } from "./object-store.ts";
import type { Write } from "./transaction.ts";

/** A serialized write without its revision, which is assigned when its batch is taken. */
export interface PreparedWrite {
  readonly id: string;
  readonly key: ObjectKey;
  readonly expected: number;
  readonly deleted: boolean;
  readonly object: JsonObject;
  readonly text: string;
  /** Position of the revision in the text: after the opening brace of metadata. */
  readonly versionAt: number;
  /** Whether parsing the text gives an equal object. */
  readonly roundTrips: boolean;
}

const metadataStart = '"metadata":{';

/** Throws ObjectTooLarge. `key` is the one to store, which shares its strings with others. */
export function preparedWrite({ expected, deleted, object }: Write, key: ObjectKey, charsMax: number): PreparedWrite {
  const bare = withoutVersion(object);
  const { text, versionAt } = textOf(bare);
  if (!deleted) requireSize(text, charsMax);
  return { id: keyText(key), key, expected, deleted, object: bare, text, versionAt, roundTrips: roundTrips(bare) };
}

/** A write as logged, with its object unless parsing the text would give another one. */
export interface Row {
  readonly record: LogRecord;
  readonly object: ParsedObject | undefined;
}

export function rowAt(write: PreparedWrite, revision: number, more: boolean): Row {
  const { key, deleted, object, text, versionAt, roundTrips } = write;
  const version = `"resourceVersion":"${revision}"${text[versionAt] === "}" ? "" : ","}`;
  const whole = flattened(text.slice(0, versionAt) + version + text.slice(versionAt));
  const record = { revision, key, deleted, text: whole, more };
  if (!roundTrips) return { record, object: undefined };
  const metadata = extendObject({ resourceVersion: String(revision) }, object["metadata"] as JsonObject);
  return { record, object: { ...object, metadata } as unknown as ParsedObject };
}

function withoutVersion(object: JsonObject): JsonObject {
  const { metadata } = object;
  const bare = isJsonObject(metadata ?? null) ? unversioned(metadata as JsonObject) : {};
  return bare === metadata ? object : { ...object, metadata: bare };
}

/** Nearly always metadata is the first member that is an object, and is found by name. */
function textOf(object: JsonObject): Pick<PreparedWrite, "text" | "versionAt"> {
  if (!isMetadataEarly(object)) return textByMembers(object);
  const text = writeJson(object);
  return { text, versionAt: text.indexOf(metadataStart) + metadataStart.length };
}

function textByMembers(object: JsonObject): Pick<PreparedWrite, "text" | "versionAt"> {
  let text = "{";
  let versionAt = 0;
  for (const name of Object.keys(object)) {
    const value = writeJson(object[name]) as string | undefined;
    if (value === undefined) continue;
    text += `${text === "{" ? "" : ","}${JSON.stringify(name)}:`;
    if (name === "metadata") versionAt = text.length + 1;
    text += value;
  }
  return { text: `${text}}`, versionAt };
}

function isMetadataEarly(object: JsonObject): boolean {
  for (const name in object) {
    if (name === "metadata") return true;
    if (typeof object[name] === "object" && object[name] !== null) return false;
  }
  return false;
}

function unversioned(metadata: JsonObject): JsonObject {
  if (!Object.hasOwn(metadata, "resourceVersion")) return metadata;
  const left: Record<string, JsonValue> = {};
  for (const name of Object.keys(metadata)) {
    if (name !== "resourceVersion") setOwn(left, name, metadata[name] as JsonValue);
  }
  return left;
}

/** Reading a character flattens the string; a rope would take more memory and be slow to read. */
function flattened(text: string): string {
  if (text.charCodeAt(0) !== openBrace) throw new TypeError("the stored value is not an object");
  return text;
}

const openBrace = 0x7b;

function requireSize(text: string, charsMax: number): void {
  if (text.length > charsMax) {
    throw new ObjectTooLarge(`the object would take ${text.length} characters: limit is ${charsMax}`);
  }
  if (isTooDeep(text)) throw new ObjectTooLarge(`the object would be nested deeper than ${depthMax} levels`);
}
