import { quote } from "@milo-quota/kubernetes/protocol/go-quote.ts";
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ManagedFieldsEntry } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { readTime, timeText } from "@milo-quota/kubernetes/protocol/time.ts";
import { readKnownFieldsV1, writeFieldsV1 } from "../fields/fields-v1.ts";
import { PathElementFault } from "../fields/path-element.ts";
import { compareFieldText } from "../fields/value-order.ts";
import { nobody, type Owner, type Owners, ownerIdentity } from "./owner.ts";

export type DecodedFields =
  | { readonly ok: true; readonly owners: Owners }
  | { readonly ok: false; readonly fault: string };

class EntryFault extends Error {}

/** What lists of entries say, those that were written here as well: an update finds the list that the last one made. */
const decoded = new WeakMap<object, DecodedFields>();

/** Reads `metadata.managedFields`; none at all are no owners. */
export function decodeManagedFields(entries: JsonValue | undefined): DecodedFields {
  if (entries === undefined || entries === null) return { ok: true, owners: nobody };
  const known = decoded.get(entries as object);
  if (known !== undefined) return known;
  const result = decodeAnew(entries);
  if (typeof entries === "object") decoded.set(entries, result);
  return result;
}

function decodeAnew(entries: JsonValue): DecodedFields {
  try {
    if (!Array.isArray(entries)) throw new EntryFault("managed fields must be a list");
    const owners = (entries as readonly JsonValue[]).map(decodeEntry);
    return { ok: true, owners: new Map(owners.map((owner) => [ownerIdentity(owner), owner])) };
  } catch (error) {
    if (!(error instanceof EntryFault || error instanceof PathElementFault)) throw error;
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
    fields: readKnownFieldsV1(ownValue(entry, "fieldsV1") ?? {}),
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

/** The entries of owners that were written here. */
const written = new WeakMap<Owners, readonly ManagedFieldsEntry[]>();

/** Writes owners in the order that Kubernetes keeps; undefined when there are none. */
export function encodeManagedFields(owners: Owners): readonly ManagedFieldsEntry[] | undefined {
  if (owners.size === 0) return undefined;
  return written.get(owners) ?? encodeAnew(owners);
}

function encodeAnew(owners: Owners): readonly ManagedFieldsEntry[] {
  const kept = inOrder(owners);
  const entries: ManagedFieldsEntry[] = [];
  for (const owner of kept.values()) entries.push(encodeOwner(owner));
  decoded.set(entries, { ok: true, owners: kept });
  written.set(kept, entries);
  return entries;
}

/** Whoever writes is mostly the last already. */
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

/** Entries of owners. Of several owners, an update changes one or two. */
const encoded = new WeakMap<Owner, ManagedFieldsEntry>();

function encodeOwner(owner: Owner): ManagedFieldsEntry {
  const known = encoded.get(owner);
  if (known !== undefined) return known;
  const { manager, operation, apiVersion, subresource, fields, timeSeconds } = owner;
  const entry: Writable<ManagedFieldsEntry> = {};
  if (manager !== "") entry.manager = manager;
  entry.operation = operation;
  entry.apiVersion = apiVersion;
  if (timeSeconds !== undefined) entry.time = timeText(timeSeconds * 1_000);
  entry.fieldsType = "FieldsV1";
  entry.fieldsV1 = writeFieldsV1(fields);
  if (subresource !== "") entry.subresource = subresource;
  encoded.set(owner, entry);
  return entry;
}

type Writable<Entry> = { -readonly [Field in keyof Entry]?: Entry[Field] };

/** Those who applied first; then by time, name, version and subresource. */
function compareOwners(left: Omit<Owner, "fields">, right: Omit<Owner, "fields">): number {
  return (
    compareFieldText(left.operation, right.operation) ||
    (left.timeSeconds ?? 0) - (right.timeSeconds ?? 0) ||
    compareFieldText(left.manager, right.manager) ||
    compareFieldText(left.apiVersion, right.apiVersion) ||
    compareFieldText(left.subresource, right.subresource)
  );
}

/** Whether a client asks to forget all owners: it sends an empty list, or one empty entry. */
export function resetsManagedFields(entries: JsonValue | undefined): boolean {
  if (!Array.isArray(entries) || entries.length > 1) return false;
  const [only = {}] = entries as readonly JsonValue[];
  return isJsonObject(only) && Object.values(only).every((value) => value === null || value === "");
}
