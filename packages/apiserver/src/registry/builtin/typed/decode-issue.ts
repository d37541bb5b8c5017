import { typeFault } from "@milo-quota/kubernetes/protocol/json-type.ts";
import { depthMax, isJsonObject, type JsonObject, type JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { writeJson } from "@milo-quota/kubernetes/protocol/json-writer.ts";
import { isMicroTime, isTime } from "@milo-quota/kubernetes/protocol/time.ts";
import { isBase64 } from "./base64-text.ts";
import type { GoType, OpaqueName } from "./go-type.ts";
import { quantityProblem } from "./quantity-text.ts";
import { structOf } from "./struct-table.ts";

/** A value that does not fit its type. The path is built on the way back, so that valid values allocate nothing. */
interface DecodeError {
  readonly path: string;
  readonly fault: string;
}

const integers = {
  int32: { name: "32-bit integer", max: 2n ** 31n - 1n },
  int64: { name: "64-bit integer", max: 2n ** 63n - 1n },
} as const;

/**
 * The error with which Kubernetes would fail to decode an object into its Go type, about the first field that does not
 * fit. Unknown fields are ignored, and null is valid everywhere.
 */
export function decodeIssue(structName: string, object: JsonValue): string | undefined {
  const error = valueError({ form: "struct", name: structName }, object, 0);
  if (error === undefined) return undefined;
  return error.path === "" ? error.fault : `${error.path}: ${error.fault}`;
}

function valueError(type: GoType, value: JsonValue, depth: number): DecodeError | undefined {
  if (value === null) return undefined;
  if (depth > depthMax) return here("exceeded max depth");
  switch (type.form) {
    case "pointer":
      return valueError(type.of, value, depth);
    case "struct":
      return isJsonObject(value) ? fieldError(type.name, value, depth + 1) : here(typeFault("object", value));
    case "map":
      return isJsonObject(value) ? memberError(type.of, value, depth + 1) : here(typeFault("object", value));
    case "slice":
      return Array.isArray(value) ? itemError(type.of, value, depth + 1) : here(typeFault("array", value));
    case "opaque":
      return opaqueError(type.name, value, depth);
    case "bytes":
      if (typeof value !== "string") return here(typeFault("string", value));
      return isBase64(value) ? undefined : here("expected base64");
    case "int32":
    case "int64":
      return isInteger(value, type.form) ? undefined : here(numberFault(integers[type.form].name, value));
    case "float64":
      return typeof value === "number" || typeof value === "bigint" ? undefined : here(typeFault("number", value));
    case "bool":
      return typeof value === "boolean" ? undefined : here(typeFault("boolean", value));
    case "string":
      return typeof value === "string" ? undefined : here(typeFault("string", value));
    default:
      throw new Error(`unknown type ${type satisfies never}`);
  }
}

function fieldError(name: string, object: JsonObject, depth: number): DecodeError | undefined {
  const { fields } = structOf(name);
  for (const [key, value] of Object.entries(object)) {
    const field = fields.get(key);
    const error = field === undefined ? undefined : valueError(field.type, value, depth);
    if (error !== undefined) return below(key, error);
  }
  return undefined;
}

function memberError(of: GoType, object: JsonObject, depth: number): DecodeError | undefined {
  for (const [key, value] of Object.entries(object)) {
    const error = valueError(of, value, depth);
    if (error !== undefined) return below(`[${key}]`, error);
  }
  return undefined;
}

function itemError(of: GoType, items: readonly JsonValue[], depth: number): DecodeError | undefined {
  for (const [index, value] of items.entries()) {
    const error = valueError(of, value, depth);
    if (error !== undefined) return below(`[${index}]`, error);
  }
  return undefined;
}

function opaqueError(name: OpaqueName, value: JsonValue, depth: number): DecodeError | undefined {
  switch (name) {
    case "meta.v1.Time":
      return timeError(value, isTime, "a time in RFC 3339 format");
    case "meta.v1.MicroTime":
      return timeError(value, isMicroTime, "a time in RFC 3339 format with microseconds");
    case "resource.Quantity": {
      const fault = quantityProblem(value);
      return fault === undefined ? undefined : here(fault);
    }
    case "intstr.IntOrString":
      if (typeof value === "string" || isInteger(value, "int32")) return undefined;
      return here(numberFault("32-bit integer or string", value));
    case "apiextensions.v1.JSONSchemaPropsOrBool":
      if (isJsonObject(value)) return valueError(jsonSchema, value, depth);
      return typeof value === "boolean" ? undefined : here(typeFault("object or boolean", value));
    case "apiextensions.v1.JSONSchemaPropsOrArray":
      return schemasError(value, jsonSchema, depth);
    case "apiextensions.v1.JSONSchemaPropsOrStringArray":
      return schemasError(value, { form: "string" }, depth);
    case "meta.v1.FieldsV1":
    case "runtime.RawExtension":
    case "apiextensions.v1.JSON":
      return undefined;
    default:
      throw new Error(`unknown type ${name satisfies never}`);
  }
}

const jsonSchema: GoType = { form: "struct", name: "apiextensions.v1.JSONSchemaProps" };

function schemasError(value: JsonValue, item: GoType, depth: number): DecodeError | undefined {
  if (Array.isArray(value)) return itemError(item, value, depth + 1);
  return isJsonObject(value) ? valueError(jsonSchema, value, depth) : undefined;
}

function timeError(value: JsonValue, fits: (text: string) => boolean, expected: string): DecodeError | undefined {
  if (typeof value !== "string") return here(typeFault(expected, value));
  return fits(value) ? undefined : here(`expected ${expected}, got ${writeJson(value)}`);
}

function isInteger(value: JsonValue, form: "int32" | "int64"): boolean {
  if (typeof value !== "bigint" && !Number.isSafeInteger(value)) return false;
  const { max } = integers[form];
  const whole = BigInt(value as number | bigint);
  return whole <= max && whole >= -max - 1n;
}

function numberFault(expected: string, value: JsonValue): string {
  const isNumber = typeof value === "number" || typeof value === "bigint";
  return isNumber ? `expected ${expected}, got ${writeJson(value)}` : typeFault(expected, value);
}

function here(fault: string): DecodeError {
  return { path: "", fault };
}

function below(step: string, { path, fault }: DecodeError): DecodeError {
  return { path: path === "" || path.startsWith("[") ? `${step}${path}` : `${step}.${path}`, fault };
}
