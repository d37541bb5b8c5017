import { isJsonObject, type JsonObject, type JsonValue, setOwn } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { isPlainTime, readTime, timeText } from "@milo-quota/kubernetes/protocol/time.ts";
import { type GoType, type OpaqueName, pointee } from "./go-type.ts";
import { canonicalQuantity } from "./quantity-text.ts";
import { type StructField, structOf } from "./struct-table.ts";

/** JSON that its holder may change; a fresh copy, shared with nobody. */
export type Draft = null | boolean | number | bigint | string | Draft[] | DraftObject;
export interface DraftObject {
  [key: string]: Draft;
}

export function isDraftObject(value: Draft | undefined): value is DraftObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * A copy of an object that looks as if Kubernetes had read it into its type and written it again: nulls and empty
 * values are gone where the type leaves them out, and there where it does not; quantities and times are canonical.
 * Fields that the type does not have are gone. Only for objects that `decodeIssue` has nothing against.
 */
export function jsonShape(structName: string, object: JsonObject): DraftObject {
  return structShape(structName, object);
}

function structShape(name: string, object: JsonObject): DraftObject {
  const shaped: DraftObject = {};
  for (const field of structOf(name).fields.values()) {
    const value = fieldShape(field, Object.hasOwn(object, field.name) ? (object[field.name] as JsonValue) : null);
    if (value !== undefined) setOwn(shaped, field.name, value);
  }
  return shaped;
}

function fieldShape(field: StructField, value: JsonValue): Draft | undefined {
  const { type, omits, default: fallback } = field;
  const shaped = value === null ? zeroOf(type) : typeShape(pointee(type), value);
  if (fallback !== undefined && (shaped === null || shaped === "")) return copied(fallback);
  if (omits === undefined) return emptiedList(type, shaped);
  if (omits === "omitzero") return shaped === null ? undefined : shaped;
  return isEmpty(type, shaped) ? undefined : shaped;
}

/** Kubernetes stores most kinds in a form that knows no empty lists. */
function emptiedList(type: GoType, shaped: Draft): Draft {
  return type.form === "slice" && Array.isArray(shaped) && shaped.length === 0 ? null : shaped;
}

/** Structs are never empty to Go, whatever they hold. */
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

function typeShape(type: GoType, value: JsonValue): Draft {
  switch (type.form) {
    case "struct":
      return isJsonObject(value) ? structShape(type.name, value) : copied(value);
    case "map":
      return isJsonObject(value) ? mapShape(type.of, value) : copied(value);
    case "slice":
      return Array.isArray(value) ? value.map((item) => memberShape(type.of, item)) : copied(value);
    case "opaque":
      return opaqueShape(type.name, value);
    case "bytes":
      return typeof value === "string" ? value.replace(/[\r\n]/g, "") : copied(value);
    default:
      return copied(value);
  }
}

function mapShape(of: GoType, object: JsonObject): DraftObject {
  const shaped: DraftObject = {};
  for (const [key, member] of Object.entries(object)) setOwn(shaped, key, memberShape(of, member));
  return shaped;
}

/** An item or member that is null is the zero value of its type. */
function memberShape(type: GoType, value: JsonValue): Draft {
  if (value === null) return type.form === "bytes" ? "" : zeroOf(type);
  return typeShape(pointee(type), value);
}

function opaqueShape(name: OpaqueName, value: JsonValue): Draft {
  switch (name) {
    case "resource.Quantity":
      return copied(canonicalQuantity(value));
    case "meta.v1.Time":
      return typeof value === "string" ? utcText(value, 0) : copied(value);
    case "meta.v1.MicroTime":
      return typeof value === "string" ? utcText(value, 6) : copied(value);
    case "apiextensions.v1.JSONSchemaPropsOrArray":
    case "apiextensions.v1.JSONSchemaPropsOrBool":
    case "apiextensions.v1.JSONSchemaPropsOrStringArray":
      return schemasShape(value);
    default:
      return copied(value);
  }
}

function schemasShape(value: JsonValue): Draft {
  if (Array.isArray(value)) return value.map(schemasShape);
  return isJsonObject(value) ? structShape("apiextensions.v1.JSONSchemaProps", value) : copied(value);
}

function zeroOf(type: GoType): Draft {
  switch (type.form) {
    case "struct":
      return structShape(type.name, {});
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

/** A time in UTC, with so many digits after the seconds. */
function utcText(text: string, digits: number): string {
  if (digits === 0 && isPlainTime(text)) return text;
  const read = readTime(text);
  if (read === undefined) return text;
  const seconds = timeText(read.seconds * 1_000);
  return digits === 0 ? seconds : `${seconds.slice(0, -1)}.${read.fraction.slice(0, digits).padEnd(digits, "0")}Z`;
}

export function copied(value: JsonValue): Draft {
  if (Array.isArray(value)) return value.map(copied);
  if (!isJsonObject(value)) return value as Draft;
  const copy: DraftObject = {};
  for (const [key, member] of Object.entries(value)) setOwn(copy, key, copied(member));
  return copy;
}
