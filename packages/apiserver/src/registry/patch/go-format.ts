import { isJsonObject, type JsonObject, type JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";

/** A value as Go's %v prints it: `map[a:1 b:[x y]]`. */
export function printed(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return "<nil>";
  if (Array.isArray(value)) return `[${value.map(printed).join(" ")}]`;
  if (isJsonObject(value)) return `map[${members(value, ([key, member]) => `${key}:${printed(member)}`).join(" ")}]`;
  return typeof value === "number" && !Number.isInteger(value) ? floatText(value) : String(value);
}

/** The type of a value as Go's %T prints it. */
export function goType(value: JsonValue): string {
  if (value === null) return "<nil>";
  if (Array.isArray(value)) return "[]interface {}";
  if (typeof value === "object") return "map[string]interface {}";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "string") return "string";
  return typeof value === "bigint" || Number.isInteger(value) ? "int64" : "float64";
}

/** A float as Go's %v prints it: large and small ones with an exponent of two digits. */
export function floatText(value: number): string {
  const [digits = "", exponent = "0"] = value.toExponential().split("e");
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(value);
  return `${digits}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}

function members(object: JsonObject, show: (member: [string, JsonValue]) => string): string[] {
  return Object.entries(object)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(show);
}
