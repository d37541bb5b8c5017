import { createHash } from "node:crypto";
import type { JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { identityText } from "@milo-quota/kubernetes/protocol/json-writer.ts";
import {
  type CompiledSchema,
  compileSchema,
  type PatternCompiler,
} from "@milo-quota/kubernetes/schema/compiled-schema.ts";
import type { Schema } from "@milo-quota/kubernetes/schema/structural-schema.ts";
import { RE2JS } from "re2js";
import { compileRules, type RuleTable } from "./rules/compiled-rules.ts";
import { normalizedSchema } from "./schemas/normalized-schema.ts";

/** A schema made ready, with its rules. Rules are compiled when the first object meets them. */
export interface CompiledDefinition {
  readonly schema: CompiledSchema;
  readonly rules: RuleTable;
}

/** How many are kept. A thousand planes with the same definitions share one of each. */
const keptMax = 1_000;

const kept = new Map<string, CompiledDefinition>();

/** What identical schemas have in common, wherever they come from. */
export function schemaDigest(schema: Schema): string {
  return createHash("sha256")
    .update(identityText(schema as JsonValue))
    .digest("base64");
}

/** Compiles a schema, or takes what was compiled for the same one. `digest` is that of the schema. */
export function compiledDefinition(schema: Schema, digest: string): CompiledDefinition {
  const known = kept.get(digest);
  // Which one is to go matters only when there are many.
  if (known !== undefined && kept.size <= keptMax / 2) return known;
  // Taken out and put back, so that the first is the one not asked for the longest.
  if (known !== undefined) kept.delete(digest);
  const compiled = known ?? lazilyCompiled(schema);
  kept.set(digest, compiled);
  const [oldest] = kept.size > keptMax ? kept.keys() : [];
  if (oldest !== undefined) kept.delete(oldest);
  return compiled;
}

function lazilyCompiled(schema: Schema): CompiledDefinition {
  let compiled: CompiledSchema | undefined;
  let rules: RuleTable | undefined;
  return {
    get schema() {
      compiled ??= compileSchema(normalizedSchema(schema), forgivingPattern);
      return compiled;
    },
    get rules() {
      rules ??= compileRules(this.schema);
      return rules;
    },
  };
}

/** A definition with a malformed pattern is refused; one that was stored all the same matches nothing. */
const forgivingPattern: PatternCompiler = (pattern) => {
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
