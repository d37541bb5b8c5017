import { parseAllDocuments } from "yaml";
import { failure, StatusError } from "../../protocol/api-status.ts";
import { depthMax, type JsonValue } from "../../protocol/json-value.ts";
import { yamlDepthBound } from "./yaml-depth.ts";

/** One YAML document; integers keep all their digits. */
export function readYaml(text: string, complaint = ""): JsonValue {
  try {
    return parsed(text);
  } catch (error) {
    // The parser has errors of its own, and throws others, such as for too many aliases.
    const because = error instanceof RangeError ? "exceeded max depth" : (error as Error).message;
    throw new StatusError(failure("BadRequest", `${complaint}error converting YAML to JSON: yaml: ${because}`));
  }
}

function parsed(text: string): JsonValue {
  // A bound is no measure: what it lets through may still be too deep, and is found out below.
  if (yamlDepthBound(text) > 2 * depthMax) throw new Error("exceeded max depth");
  const [document, ...more] = parseAllDocuments(text, {
    intAsBigInt: true,
    uniqueKeys: true,
    prettyErrors: false,
    logLevel: "error",
  });
  if (document === undefined || !("errors" in document)) return null;
  const [error] = document.errors;
  if (error !== undefined) throw error;
  if (more.length > 0) throw new Error("more than one document");
  return narrowed(document.toJS({ maxAliasCount: 100 }), 0);
}

/** What JSON can say; integers that a double holds exactly are numbers. What holds itself is too deep. */
function narrowed(value: unknown, depth: number): JsonValue {
  if (depth > depthMax) throw new Error("exceeded max depth");
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (typeof value === "number" && !Number.isFinite(value)) throw new Error(`${value} is no number of JSON`);
  if (Array.isArray(value)) return value.map((item) => narrowed(item, depth + 1));
  if (typeof value !== "object" || value === null) return value as JsonValue;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, narrowed(member, depth + 1)]));
}
