import { isJsonObject, type JsonObject, type JsonValue, setOwn } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { formatTime, isCanonicalTime, readTime } from "@milo-quota/kubernetes/protocol/time.ts";
import { type GoType, type OpaqueName, pointee } from "./go-type.ts";
import { canonicalQuantity } from "./quantity-text.ts";
import { type StructField, structOf } from "./struct-table.ts";

/** Mutable JSON; a private copy. */
export type Draft = null | boolean | number | bigint | string | Draft[] | DraftObject;
export interface DraftObject {
  [key: string]: Draft;
}

export function isDraftObject(value: Draft | undefined): value is DraftObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * The result of decoding an object into its Go type and encoding it again: nulls and empty values are dropped or kept
 * as the type says; quantities and times are canonical; unknown fields are gone. Only for objects that passed
 * `decodeIssue`.
 */
export function roundTripThroughGoType(structName: string, object: JsonObject): DraftObject {
  return encodeStruct(structName, object);
}

function encodeStruct(name: string, object: JsonObject): DraftObject {
  const shaped: DraftObject = {};
  for (const field of structOf(name).fields.values()) {
    const value = encodeField(field, Object.hasOwn(object, field.name) ? (object[field.name] as JsonValue) : null);
    if (value !== undefined) setOwn(shaped, field.name, value);
  }
  return shaped;
}

function encodeField(field: StructField, value: JsonValue): Draft | undefined {
  const { type, omits, default: fallback } = field;
  const shaped = value === null ? zeroOf(type) : encodeType(pointee(type), value);
  if (fallback !== undefined && (shaped === null || shaped === "")) return copyDraft(fallback);
  if (omits === undefined) return nullIfEmptyList(type, shaped);
  if (omits === "omitzero") return shaped === null ? undefined : shaped;
  return isEmpty(type, shaped) ? undefined : shaped;
}

/** Kubernetes stores most kinds as protobuf, which has no empty lists. */
function nullIfEmptyList(type: GoType, shaped: Draft): Draft {
  return type.form === "slice" && Array.isArray(shaped) && shaped.length === 0 ? null : shaped;
}

/** For Go structs are never empty. */
function isEmpty(type: GoType, shaped: Draft): boolean {
  switch (type.form) {
    case "struct":
    case "opaque":
      return false;
    case "pointer":
      return shaped === null;
    case "slice":
      return shaped === null || (shaped as readonly Draft[]).length === 0;
    case "map":
      return shaped === null || Object.keys(shaped as DraftObject).length === 0;
    default:
      return shaped === null || shaped === "" || shaped === 0 || shaped === false;
  }
}

function encodeType(type: GoType, value: JsonValue): Draft {
  switch (type.form) {
    case "struct":
      return isJsonObject(value) ? encodeStruct(type.name, value) : copyDraft(value);
    case "map":
      return isJsonObject(value) ? encodeMap(type.of, value) : copyDraft(value);
    case "slice":
      return Array.isArray(value) ? value.map((item) => encodeMember(type.of, item)) : copyDraft(value);
    case "opaque":
      return encodeOpaque(type.name, value);
    case "bytes":
      return typeof value === "string" ? value.replace(/[\r\n]/g, "") : copyDraft(value);
    default:
      return copyDraft(value);
  }
}

function encodeMap(of: GoType, object: JsonObject): DraftObject {
  const shaped: DraftObject = {};
  for (const [key, member] of Object.entries(object)) setOwn(shaped, key, encodeMember(of, member));
  return shaped;
}

/** A null item or member is the zero value of its type. */
function encodeMember(type: GoType, value: JsonValue): Draft {
  if (value === null) return type.form === "bytes" ? "" : zeroOf(type);
  return encodeType(pointee(type), value);
}

function encodeOpaque(name: OpaqueName, value: JsonValue): Draft {
  switch (name) {
    case "resource.Quantity":
      return copyDraft(canonicalQuantity(value));
    case "meta.v1.Time":
      return typeof value === "string" ? utcText(value, 0) : copyDraft(value);
    case "meta.v1.MicroTime":
      return typeof value === "string" ? utcText(value, 6) : copyDraft(value);
    case "apiextensions.v1.JSONSchemaPropsOrArray":
    case "apiextensions.v1.JSONSchemaPropsOrBool":
    case "apiextensions.v1.JSONSchemaPropsOrStringArray":
      return encodeSchemas(value);
    default:
      return copyDraft(value);
  }
}

function encodeSchemas(value: JsonValue): Draft {
  if (Array.isArray(value)) return value.map(encodeSchemas);
  return isJsonObject(value) ? encodeStruct("apiextensions.v1.JSONSchemaProps", value) : copyDraft(value);
}

function zeroOf(type: GoType): Draft {
  switch (type.form) {
    case "struct":
      return encodeStruct(type.name, {});
    case "string":
      return "";
    case "bool":
      return false;
    case "int32":
    case "int64":
    case "float64":
      return 0;
    case "opaque":
      return type.name === "resource.Quantity" ? "0" : type.name === "intstr.IntOrString" ? 0 : null;
    default:
      return null;
  }
}

/** A time in UTC with that many fractional digits. */
function utcText(text: string, digits: number): string {
  if (digits === 0 && isCanonicalTime(text)) return text;
  const read = readTime(text);
  if (read === undefined) return text;
  const seconds = formatTime(read.seconds * 1_000);
  return digits === 0 ? seconds : `${seconds.slice(0, -1)}.${read.fraction.slice(0, digits).padEnd(digits, "0")}Z`;
}

export function copyDraft(value: JsonValue): Draft {
  if (Array.isArray(value)) return value.map(copyDraft);
  if (!isJsonObject(value)) return value as Draft;
  const copy: DraftObject = {};
  for (const [key, member] of Object.entries(value)) setOwn(copy, key, copyDraft(member));
  return copy;
}
