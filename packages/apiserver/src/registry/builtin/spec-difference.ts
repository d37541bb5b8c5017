import { isJsonObject, type JsonValue, jsonEquals } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { writeJson } from "@milo-quota/kubernetes/protocol/json-writer.ts";

const linesMax = 40;

/** The differences of two specs, one line per field, before and after; empty when they are equal. */
export function specDifference(before: unknown, after: unknown): string {
  return differences(before as JsonValue, after as JsonValue, "")
    .slice(0, linesMax)
    .join("\n");
}

function differences(before: JsonValue | undefined, after: JsonValue | undefined, path: string): readonly string[] {
  if (jsonEquals(before ?? null, after ?? null)) return [];
  if (isJsonObject(before) && isJsonObject(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
    return keys.flatMap((key) => differences(before[key], after[key], path === "" ? key : `${path}.${key}`));
  }
  return [`  - ${path}: ${writeJson(before ?? null)}`, `  + ${path}: ${writeJson(after ?? null)}`];
}
