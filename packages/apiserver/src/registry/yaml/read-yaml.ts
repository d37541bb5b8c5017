import { failure, StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { quote } from "@milo-quota/kubernetes/protocol/go-quote.ts";
import { JsonSyntaxError, readJson } from "@milo-quota/kubernetes/protocol/json-reader.ts";
import { depthMax, type JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { type Document, isScalar, parseAllDocuments, visit } from "yaml";
import { yamlDepthBound } from "./yaml-depth.ts";

/** One YAML document; integers keep all their digits. */
export function readYaml(text: string, complaint = ""): JsonValue {
  try {
    return fromJson(text) ?? parsed(text);
  } catch (error) {
    // The parser collects errors, and throws others, such as for too many aliases.
    const because = error instanceof RangeError ? "exceeded max depth" : (error as Error).message;
    throw new StatusError(failure("BadRequest", `${complaint}error converting YAML to JSON: yaml: ${because}`));
  }
}

/** Most YAML bodies are JSON, which is parsed much faster. Undefined when it is not. */
function fromJson(text: string): JsonValue | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    return readJson(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}

function parsed(text: string): JsonValue {
  // An upper bound: text that passes may still be too deep, which is detected below.
  if (yamlDepthBound(text) > 2 * depthMax) throw new Error("exceeded max depth");
  const [document, ...more] = parseAllDocuments(text, {
    intAsBigInt: true,
    uniqueKeys: false, // the parser's own check takes quadratic time
    prettyErrors: false,
    logLevel: "error",
  });
  if (document === undefined || !("errors" in document)) return null;
  const [error] = document.errors;
  if (error !== undefined) throw error;
  if (more.length > 0) throw new Error("more than one document");
  rejectDuplicateKeys(document);
  return new JsonConverter().visit(document.toJS({ maxAliasCount: 100 }), 0);
}

function rejectDuplicateKeys(document: Document.Parsed): void {
  visit(document, {
    Map: (_key, { items }) => {
      const keys = new Set<unknown>();
      for (const { key } of items) {
        const text = isScalar(key) ? key.value : undefined;
        if (text !== undefined && keys.has(text)) throw new Error(`key ${quote(String(text))} already set in map`);
        keys.add(text);
      }
    },
  });
}

/** More values than any object has; aliases can multiply them. */
const valuesMax = 1_000_000;

/** Converts to JSON values; safe integers become numbers. Circular values are rejected as too deep. */
class JsonConverter {
  #values = 0;

  visit(value: unknown, depth: number): JsonValue {
    this.#values += 1;
    if (this.#values > valuesMax) throw new Error("document contains excessive aliasing");
    if (depth > depthMax) throw new Error("exceeded max depth");
    if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : value;
    if (typeof value === "number" && !Number.isFinite(value)) throw new Error(`${value} is not a JSON number`);
    if (Array.isArray(value)) return value.map((item) => this.visit(item, depth + 1));
    if (typeof value !== "object" || value === null) return value as JsonValue;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, this.visit(member, depth + 1)]));
  }
}
