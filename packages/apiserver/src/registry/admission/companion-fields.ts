import { extendObject } from "@milo-quota/kubernetes/protocol/extend-object.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { formatApiVersion, type ManagedFieldsEntry } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { formatTime } from "@milo-quota/kubernetes/protocol/time.ts";
import type { CompiledSchema } from "@milo-quota/kubernetes/schema/compiled-schema.ts";
import type { ApiObject } from "../kinds/api-object.ts";
import type { ServedKind } from "../kinds/served-kind.ts";
import { compareObjects } from "../patch/fields/compare-objects.ts";
import { writeFieldsV1 } from "../patch/fields/fields-v1.ts";
import { type ListType, type MapType, type MergeType, mergeTypeOf } from "../patch/fields/merge-type.ts";
import { uidElement } from "../patch/fields/path-element.ts";
import { memberType } from "../patch/fields/type-variant.ts";
import { withoutIdentity } from "../patch/managed/field-scope.ts";

type Entries = readonly ManagedFieldsEntry[];
type Fields = NonNullable<ManagedFieldsEntry["fieldsV1"]>;

/** Field manager of companions. */
export const companionManager = "milo-quota";

const shapesMax = 2_000;
/** Fields by shape, for objects of equal shape, without owner references, whose UIDs never repeat. */
const fieldsByShape = new WeakMap<CompiledSchema, Map<string, Fields>>();

/** The managed fields of a new object with a status: as after a create followed by a status update. */
export function newCompanionFields(object: ApiObject, kind: ServedKind, nowMs: number): Entries {
  const { status, ...rest } = object as JsonObject;
  const own = fieldsIn(rest, kind);
  const [owner] = object.metadata.ownerReferences ?? [];
  const entries = [entryOf(kind, nowMs, owner === undefined ? own : withOwner(own, owner.uid), "")];
  if (status !== undefined) entries.push(statusEntry(status as JsonObject, kind, nowMs));
  return entries;
}

/**
 * The managed fields after a status update. Undefined when the status has other managers, or the object has no managed
 * fields: then the full computation is needed.
 */
export function statusCompanionFields(
  { metadata: { managedFields = [] } }: ApiObject,
  status: JsonObject,
  kind: ServedKind,
  nowMs: number,
): Entries | undefined {
  const entry = statusEntry(status, kind, nowMs);
  const others = managedFields.filter(({ subresource }) => subresource !== "status");
  const isOurs = managedFields.every((each) => each.subresource !== "status" || isSameOwner(each, entry));
  // Entries are ordered by time: the one just written is last.
  const isLast = others.every(({ operation, time = "" }) => operation === "Apply" || time <= (entry.time ?? ""));
  return others.length > 0 && isOurs && isLast ? [...others, entry] : undefined;
}

/** Objects that share a status share its entry. */
const entriesByStatus = new WeakMap<JsonObject, ManagedFieldsEntry>();

function statusEntry(status: JsonObject, kind: ServedKind, nowMs: number): ManagedFieldsEntry {
  const before = entriesByStatus.get(status);
  if (before !== undefined && before.time === formatTime(nowMs)) return before;
  const entry = entryOf(kind, nowMs, fieldsIn({ status }, kind), "status");
  entriesByStatus.set(status, entry);
  return entry;
}

function entryOf(kind: ServedKind, nowMs: number, fieldsV1: Fields, subresource: string): ManagedFieldsEntry {
  const entry: ManagedFieldsEntry = {
    manager: companionManager,
    operation: "Update",
    apiVersion: formatApiVersion(kind.group, kind.version),
    time: formatTime(nowMs),
    fieldsType: "FieldsV1",
    fieldsV1,
  };
  return subresource === "" ? entry : { ...entry, subresource };
}

function isSameOwner(one: ManagedFieldsEntry, other: ManagedFieldsEntry): boolean {
  return one.manager === other.manager && one.operation === other.operation && one.apiVersion === other.apiVersion;
}

const nothing: JsonObject = {};

/** The fields of an object as FieldsV1, without owner references. Computed once per shape. */
function fieldsIn(object: JsonObject, { schema }: ServedKind): Fields {
  const type = mergeTypeOf(schema.schema);
  const ofKind = fieldsByShape.get(schema) ?? new Map<string, Fields>();
  fieldsByShape.set(schema, ofKind);
  const shape = mapShape(type.map, object);
  const found = ofKind.get(shape);
  if (found !== undefined) return found;
  if (ofKind.size >= shapesMax) ofKind.clear();
  const made = computeFields(object, type);
  ofKind.set(shape, made);
  return made;
}

/**
 * The names of all fields of an object, with the keys of its list items: objects with the same text have the same field
 * set, whatever their values. Hot: no calls for scalar fields.
 */
function mapShape(map: MapType | undefined, object: JsonObject): string {
  if (map === undefined || map.isAtomic) return "";
  let shape = "{";
  for (const name in object) {
    const value = object[name] as JsonValue;
    if (name === references) continue;
    shape += `${name}\0`;
    if (typeof value !== "object" || value === null) shape += value === null ? "null" : "";
    else if (isJsonObject(value)) shape += mapShape(memberType(map, name)?.map, value);
    else shape += listShape(memberType(map, name)?.list, value as readonly JsonValue[]);
  }
  return `${shape}}`;
}

function listShape(list: ListType | undefined, items: readonly JsonValue[]): string {
  if (list === undefined || list.kind === "atomic") return "";
  let shape = "[";
  for (const item of items) {
    if (!isJsonObject(item)) shape += `${JSON.stringify(item)}\0`;
    else shape += `${list.keys.map((key) => JSON.stringify(item[key])).join("\0")}${mapShape(list.items.map, item)}`;
  }
  return `${shape}]`;
}

const references = "ownerReferences";

function computeFields(object: JsonObject, type: MergeType): Fields {
  const { metadata, ...rest } = object;
  const { ownerReferences: _, ...others } = (metadata ?? {}) as JsonObject;
  const { added } = compareObjects(type, nothing, { ...rest, metadata: others });
  return writeFieldsV1(withoutIdentity(added));
}

function withOwner(fields: Fields, uid: string): Fields {
  // Keys are unique per object: as an ordinary object, each would get a hidden class of its own.
  const references: Record<string, JsonObject> = Object.setPrototypeOf(Object.create(null), Object.prototype);
  references["."] = nothing;
  references[uidElement(uid).text] = nothing;
  const metadata = extendObject(fields["f:metadata"] as Fields, { "f:ownerReferences": references });
  return { ...fields, "f:metadata": metadata };
}
