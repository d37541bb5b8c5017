import type { JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { identityText } from "@milo-quota/kubernetes/protocol/json-writer.ts";
import { goDouble } from "@milo-quota/kubernetes/schema/go-number.ts";

/** A value as Kubernetes prints one into a line: texts bare, lists and objects as JSON. */
export function goText(value: JsonValue): string {
  if (typeof value === "string") return value;
  if (value === null) return "<no value>";
  if (typeof value === "number" && !Number.isInteger(value)) return goDouble(value);
  return typeof value === "object" ? identityText(value) : String(value);
}
