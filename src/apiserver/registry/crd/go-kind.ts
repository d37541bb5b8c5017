import type { JsonValue } from "../../../protocol/json-value.ts";

/** What Go calls the type of a decoded JSON value; messages of Kubernetes name it. */
export function jsonKindOf(value: JsonValue): string {
  if (value === null) return "<nil>";
  if (Array.isArray(value)) return "[]interface {}";
  switch (typeof value) {
    case "object":
      return "map[string]interface {}";
    case "number":
      return Number.isSafeInteger(value) ? "int64" : "float64";
    case "bigint":
      return "int64";
    case "boolean":
      return "bool";
    default:
      return typeof value;
  }
}
