import { parseAllDocuments } from "yaml";
import { failure, StatusError } from "../../protocol/api-status.ts";
import type { JsonValue } from "../../protocol/json-value.ts";

/** One YAML document; integers keep all their digits. */
export function readYaml(text: string, complaint = ""): JsonValue {
  const [document, ...more] = parseAllDocuments(text, { intAsBigInt: true, uniqueKeys: true, prettyErrors: false });
  if (document === undefined || !("errors" in document)) return null;
  const [error] = document.errors;
  if (error !== undefined || more.length > 0) {
    const because = error?.message ?? "more than one document";
    throw new StatusError(failure("BadRequest", `${complaint}error converting YAML to JSON: yaml: ${because}`));
  }
  return narrowed(document.toJS({ maxAliasCount: 100 }) as JsonValue);
}

/** Integers that a double holds exactly are numbers, as from JSON. */
function narrowed(value: JsonValue): JsonValue {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (Array.isArray(value)) return value.map(narrowed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, narrowed(member)]));
}
