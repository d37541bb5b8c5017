import type { JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { canonicalJson } from "@milo-quota/kubernetes/protocol/json-writer.ts";
import { goDouble } from "@milo-quota/kubernetes/schema/go-number.ts";

/** A value as Kubernetes prints it in a message: strings bare, lists and objects as JSON. */
export function goText(value: JsonValue): string {
  if (typeof value === "string") return value;
  if (value === null) return "<no value>";
  if (typeof value === "number" && !Number.isInteger(value)) return goDouble(value);
  return typeof value === "object" ? canonicalJson(value) : String(value);
}
