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
    // The parser has errors of its own, and throws others, such as for too many aliases.
    const because = error instanceof RangeError ? "exceeded max depth" : (error as Error).message;
    throw new StatusError(failure("BadRequest", `${complaint}error converting YAML to JSON: yaml: ${because}`));
  }
}

/** Nearly all that is sent as YAML is JSON, which is much faster to read as such. Undefined when it is not. */
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
  // A bound is no measure: what it lets through may still be too deep, and is found out below.
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
  refuseRepeatedKeys(document);
  return new Narrowing().visit(document.toJS({ maxAliasCount: 100 }), 0);
}

function refuseRepeatedKeys(document: Document.Parsed): void {
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

/** More values than any object holds; aliases make many of few. */
const valuesMax = 1_000_000;

/** What JSON can say; integers that a double holds exactly are numbers. What holds itself is too deep. */
class Narrowing {
  #values = 0;

  visit(value: unknown, depth: number): JsonValue {
    this.#values += 1;
    if (this.#values > valuesMax) throw new Error("document contains excessive aliasing");
    if (depth > depthMax) throw new Error("exceeded max depth");
    if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : value;
    if (typeof value === "number" && !Number.isFinite(value)) throw new Error(`${value} is no number of JSON`);
    if (Array.isArray(value)) return value.map((item) => this.visit(item, depth + 1));
    if (typeof value !== "object" || value === null) return value as JsonValue;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, this.visit(member, depth + 1)]));
  }
}
