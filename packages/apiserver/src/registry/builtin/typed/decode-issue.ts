import { typeFault } from "@milo-quota/kubernetes/protocol/json-type.ts";
import { depthMax, isJsonObject, type JsonObject, type JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { writeJson } from "@milo-quota/kubernetes/protocol/json-writer.ts";
import { isMicroTime, isTime } from "@milo-quota/kubernetes/protocol/time.ts";
import { isBase64 } from "./base64-text.ts";
import type { GoType, OpaqueName } from "./go-type.ts";
import { quantityFault } from "./quantity-text.ts";
import { structOf } from "./struct-table.ts";

/** A value that does not fit its type. The path grows on the way back, so that values that fit cost no texts. */
interface Misfit {
  readonly path: string;
  readonly fault: string;
}

const integers = {
  int32: { name: "32-bit integer", max: 2n ** 31n - 1n },
  int64: { name: "64-bit integer", max: 2n ** 63n - 1n },
} as const;

/**
 * Why Kubernetes would not read an object as the type it has for it: the first field that does not fit. Unknown fields do
 * not matter, and null is as good as nothing everywhere.
 */
export function decodeIssue(structName: string, object: JsonValue): string | undefined {
  const misfit = misfitOf({ form: "struct", name: structName }, object, 0);
  if (misfit === undefined) return undefined;
  return misfit.path === "" ? misfit.fault : `${misfit.path}: ${misfit.fault}`;
}

function misfitOf(type: GoType, value: JsonValue, depth: number): Misfit | undefined {
  if (value === null) return undefined;
  if (depth > depthMax) return here("exceeded max depth");
  switch (type.form) {
    case "pointer":
      return misfitOf(type.of, value, depth);
    case "struct":
      return isJsonObject(value) ? fieldMisfit(type.name, value, depth + 1) : here(typeFault("object", value));
    case "map":
      return isJsonObject(value) ? memberMisfit(type.of, value, depth + 1) : here(typeFault("object", value));
    case "slice":
      return Array.isArray(value) ? itemMisfit(type.of, value, depth + 1) : here(typeFault("array", value));
    case "opaque":
      return opaqueMisfit(type.name, value, depth);
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

function fieldMisfit(name: string, object: JsonObject, depth: number): Misfit | undefined {
  const { fields } = structOf(name);
  for (const [key, value] of Object.entries(object)) {
    const field = fields.get(key);
    const misfit = field === undefined ? undefined : misfitOf(field.type, value, depth);
    if (misfit !== undefined) return below(key, misfit);
  }
  return undefined;
}

function memberMisfit(of: GoType, object: JsonObject, depth: number): Misfit | undefined {
  for (const [key, value] of Object.entries(object)) {
    const misfit = misfitOf(of, value, depth);
    if (misfit !== undefined) return below(`[${key}]`, misfit);
  }
  return undefined;
}

function itemMisfit(of: GoType, items: readonly JsonValue[], depth: number): Misfit | undefined {
  for (const [index, value] of items.entries()) {
    const misfit = misfitOf(of, value, depth);
    if (misfit !== undefined) return below(`[${index}]`, misfit);
  }
  return undefined;
}

function opaqueMisfit(name: OpaqueName, value: JsonValue, depth: number): Misfit | undefined {
  switch (name) {
    case "meta.v1.Time":
      return timeMisfit(value, isTime, "a time in RFC 3339 format");
    case "meta.v1.MicroTime":
      return timeMisfit(value, isMicroTime, "a time in RFC 3339 format with microseconds");
    case "resource.Quantity": {
      const fault = quantityFault(value);
      return fault === undefined ? undefined : here(fault);
    }
    case "intstr.IntOrString":
      if (typeof value === "string" || isInteger(value, "int32")) return undefined;
      return here(numberFault("32-bit integer or string", value));
    case "apiextensions.v1.JSONSchemaPropsOrBool":
      if (isJsonObject(value)) return misfitOf(jsonSchema, value, depth);
      return typeof value === "boolean" ? undefined : here(typeFault("object or boolean", value));
    case "apiextensions.v1.JSONSchemaPropsOrArray":
      return schemasMisfit(value, jsonSchema, depth);
    case "apiextensions.v1.JSONSchemaPropsOrStringArray":
      return schemasMisfit(value, { form: "string" }, depth);
    case "meta.v1.FieldsV1":
    case "runtime.RawExtension":
    case "apiextensions.v1.JSON":
      return undefined;
    default:
      throw new Error(`unknown type ${name satisfies never}`);
  }
}

const jsonSchema: GoType = { form: "struct", name: "apiextensions.v1.JSONSchemaProps" };

function schemasMisfit(value: JsonValue, item: GoType, depth: number): Misfit | undefined {
  if (Array.isArray(value)) return itemMisfit(item, value, depth + 1);
  return isJsonObject(value) ? misfitOf(jsonSchema, value, depth) : undefined;
}

function timeMisfit(value: JsonValue, fits: (text: string) => boolean, expected: string): Misfit | undefined {
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

function here(fault: string): Misfit {
  return { path: "", fault };
}

function below(step: string, { path, fault }: Misfit): Misfit {
  return { path: path === "" || path.startsWith("[") ? `${step}${path}` : `${step}.${path}`, fault };
}
