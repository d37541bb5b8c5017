import { createHash } from "node:crypto";
import type { JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { canonicalJson } from "@milo-quota/kubernetes/protocol/json-writer.ts";
import {
  type CompiledSchema,
  compileSchema,
  type PatternCompiler,
} from "@milo-quota/kubernetes/schema/compiled-schema.ts";
import type { Schema } from "@milo-quota/kubernetes/schema/structural-schema.ts";
import { RE2JS } from "re2js";
import { compileRules, type RuleTable } from "./rules/compiled-rules.ts";
import { normalizedSchema } from "./schemas/normalized-schema.ts";

/** A compiled schema with its rules. Rules are compiled when the first object is validated. */
export interface CompiledDefinition {
  readonly schema: CompiledSchema;
  readonly rules: RuleTable;
}

/** Cache size. A thousand planes with the same definitions share one entry each. */
const cacheSizeMax = 1_000;

const cache = new Map<string, CompiledDefinition>();

/** Identifies equal schemas, in any plane. */
export function schemaDigest(schema: Schema): string {
  return createHash("sha256")
    .update(canonicalJson(schema as JsonValue))
    .digest("base64");
}

/** Compiles a schema, or returns the cached result for the same one. `digest` is that of the schema. */
export function compileDefinition(schema: Schema, digest: string): CompiledDefinition {
  const cached = cache.get(digest);
  // Order of use matters only when the cache is getting full.
  if (cached !== undefined && cache.size <= cacheSizeMax / 2) return cached;
  // Move to the end: the map is in order of use.
  if (cached !== undefined) cache.delete(digest);
  const compiled = cached ?? compileLazily(schema);
  cache.set(digest, compiled);
  const [oldest] = cache.size > cacheSizeMax ? cache.keys() : [];
  if (oldest !== undefined) cache.delete(oldest);
  return compiled;
}

function compileLazily(schema: Schema): CompiledDefinition {
  let compiled: CompiledSchema | undefined;
  let rules: RuleTable | undefined;
  return {
    get schema() {
      compiled ??= compileSchema(normalizedSchema(schema), lenientPattern);
      return compiled;
    },
    get rules() {
      rules ??= compileRules(this.schema);
      return rules;
    },
  };
}

/** Definitions with a malformed pattern are rejected; one that was stored anyway matches nothing. */
const lenientPattern: PatternCompiler = (pattern) => {
  const compiled = readPattern(pattern);
  return (text) => compiled?.test(text) === true;
};

function readPattern(pattern: string): ReturnType<typeof RE2JS.compile> | undefined {
  try {
    return RE2JS.compile(pattern);
  } catch {
    return undefined;
  }
}
