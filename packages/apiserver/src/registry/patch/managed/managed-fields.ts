import { quote } from "@milo-quota/kubernetes/protocol/go-quote.ts";
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ManagedFieldsEntry } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { formatTime, readTime } from "@milo-quota/kubernetes/protocol/time.ts";
import { readCachedFieldsV1, writeFieldsV1 } from "../fields/fields-v1.ts";
import { PathElementError } from "../fields/path-element.ts";
import { compareFieldText } from "../fields/value-order.ts";
import { noOwners, type Owner, type Owners, ownerIdentity } from "./owner.ts";

export type DecodedFields =
  | { readonly ok: true; readonly owners: Owners }
  | { readonly ok: false; readonly fault: string };

class EntryFault extends Error {}

/** Decoded lists of entries, including those encoded here: an update finds the list of the previous update. */
const decoded = new WeakMap<object, DecodedFields>();

/** Decodes `metadata.managedFields`; absent means no owners. */
export function decodeManagedFields(entries: JsonValue | undefined): DecodedFields {
  if (entries === undefined || entries === null) return { ok: true, owners: noOwners };
  const cached = decoded.get(entries as object);
  if (cached !== undefined) return cached;
  const result = decodeUncached(entries);
  if (typeof entries === "object") decoded.set(entries, result);
  return result;
}

function decodeUncached(entries: JsonValue): DecodedFields {
  try {
    if (!Array.isArray(entries)) throw new EntryFault("managed fields must be a list");
    const owners = (entries as readonly JsonValue[]).map(decodeEntry);
    return { ok: true, owners: new Map(owners.map((owner) => [ownerIdentity(owner), owner])) };
  } catch (error) {
    if (!(error instanceof EntryFault || error instanceof PathElementError)) throw error;
    return { ok: false, fault: error.message };
  }
}

function decodeEntry(entry: JsonValue, index: number): Owner {
  if (!isJsonObject(entry)) throw new EntryFault(`managed fields entry ${index} must be an object`);
  const operation = ownValue(entry, "operation");
  if (operation !== "Apply" && operation !== "Update") throw new EntryFault("operation must be `Apply` or `Update`");
  const apiVersion = textAt(entry, "apiVersion");
  if (apiVersion === "") throw new EntryFault("apiVersion must not be empty");
  const fieldsType = textAt(entry, "fieldsType");
  if (fieldsType === "") throw new EntryFault(`missing fieldsType in managed fields entry ${index}`);
  if (fieldsType !== "FieldsV1") {
    throw new EntryFault(`invalid fieldsType ${quote(fieldsType)} in managed fields entry ${index}`);
  }
  return {
    manager: textAt(entry, "manager"),
    operation,
    apiVersion,
    subresource: textAt(entry, "subresource"),
    fields: readCachedFieldsV1(ownValue(entry, "fieldsV1") ?? {}),
    timeSeconds: timeAt(entry),
  };
}

function textAt(entry: JsonObject, field: string): string {
  const value = ownValue(entry, field) ?? "";
  if (typeof value !== "string") throw new EntryFault(`${field} must be a string`);
  return value;
}

function timeAt(entry: JsonObject): number | undefined {
  const text = textAt(entry, "time");
  if (text === "") return undefined;
  const seconds = readTime(text)?.seconds;
  if (seconds === undefined) throw new EntryFault(`parsing time ${quote(text)}`);
  return seconds;
}

/** Encoded entries by owners. */
const written = new WeakMap<Owners, readonly ManagedFieldsEntry[]>();

/** Encodes owners in Kubernetes' order; undefined when there are none. */
export function encodeManagedFields(owners: Owners): readonly ManagedFieldsEntry[] | undefined {
  if (owners.size === 0) return undefined;
  return written.get(owners) ?? encodeUncached(owners);
}

function encodeUncached(owners: Owners): readonly ManagedFieldsEntry[] {
  const kept = inOrder(owners);
  const entries: ManagedFieldsEntry[] = [];
  for (const owner of kept.values()) entries.push(encodeOwner(owner));
  decoded.set(entries, { ok: true, owners: kept });
  written.set(kept, entries);
  return entries;
}

/** The current writer is usually last already. */
function inOrder(owners: Owners): Owners {
  let last: Owner | undefined;
  for (const owner of owners.values()) {
    if (last !== undefined && compareOwners(last, owner) > 0) return sorted(owners);
    last = owner;
  }
  return owners;
}

function sorted(owners: Owners): Owners {
  return new Map([...owners].sort(([, left], [, right]) => compareOwners(left, right)));
}

/** Entries by owner. An update changes one or two of several owners. */
const encoded = new WeakMap<Owner, ManagedFieldsEntry>();

function encodeOwner(owner: Owner): ManagedFieldsEntry {
  const cached = encoded.get(owner);
  if (cached !== undefined) return cached;
  const { manager, operation, apiVersion, subresource, fields, timeSeconds } = owner;
  const entry: Writable<ManagedFieldsEntry> = {};
  if (manager !== "") entry.manager = manager;
  entry.operation = operation;
  entry.apiVersion = apiVersion;
  if (timeSeconds !== undefined) entry.time = formatTime(timeSeconds * 1_000);
  entry.fieldsType = "FieldsV1";
  entry.fieldsV1 = writeFieldsV1(fields);
  if (subresource !== "") entry.subresource = subresource;
  encoded.set(owner, entry);
  return entry;
}

type Writable<Entry> = { -readonly [Field in keyof Entry]?: Entry[Field] };

/** Appliers first; then by time, name, version and subresource. */
function compareOwners(left: Omit<Owner, "fields">, right: Omit<Owner, "fields">): number {
  return (
    compareFieldText(left.operation, right.operation) ||
    (left.timeSeconds ?? 0) - (right.timeSeconds ?? 0) ||
    compareFieldText(left.manager, right.manager) ||
    compareFieldText(left.apiVersion, right.apiVersion) ||
    compareFieldText(left.subresource, right.subresource)
  );
}

/** Whether a client resets managed fields: by an empty list, or a list with one empty entry. */
export function resetsManagedFields(entries: JsonValue | undefined): boolean {
  if (!Array.isArray(entries) || entries.length > 1) return false;
  const [only = {}] = entries as readonly JsonValue[];
  return isJsonObject(only) && Object.values(only).every((value) => value === null || value === "");
}
