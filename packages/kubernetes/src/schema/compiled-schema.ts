import { RE2JS } from "re2js";
import type { JsonValue } from "../protocol/json-value.ts";
import { formatCheck } from "./formats.ts";
import type { Schema, ValidationRule } from "./structural-schema.ts";

/** Whether a text matches; an unanchored pattern may match anywhere. */
export type Matcher = (text: string) => boolean;

/** Compiles a pattern. Untrusted patterns need a matcher with linear time. */
export type PatternCompiler = (pattern: string) => Matcher;

/** A schema prepared for repeated use: patterns compiled, children linked. */
export interface CompiledSchema {
  readonly schema: Schema;
  readonly properties: ReadonlyMap<string, CompiledSchema>;
  readonly required: readonly string[];
  /** Names of properties with a default. */
  readonly defaults: readonly string[];
  /** The schema of map values. Undefined when undeclared fields are unknown; true when any are allowed. */
  readonly additional: CompiledSchema | true | undefined;
  readonly items: CompiledSchema | undefined;
  readonly pattern: Matcher | undefined;
  readonly format: Matcher | undefined;
  readonly junctors: Junctors | undefined;
  readonly rules: readonly ValidationRule[];
  /** Whether this schema or a descendant has a rule; others need no walk. */
  readonly hasRules: boolean;
  /** False when neither this schema nor a descendant has a set or map list. */
  readonly hasKeyedLists?: boolean;
  /** False when neither this schema nor a descendant has an embedded resource. */
  readonly hasEmbedded?: boolean;
}

export interface Junctors {
  readonly allOf: readonly CompiledSchema[];
  readonly anyOf: readonly CompiledSchema[];
  readonly oneOf: readonly CompiledSchema[];
  readonly not: CompiledSchema | undefined;
}

/** Linear time, in Go's syntax. Throws on a malformed pattern. */
const linearPattern: PatternCompiler = (pattern) => {
  const compiled = RE2JS.compile(pattern);
  return (text) => compiled.test(text);
};

export function compileSchema(schema: Schema, compilePattern: PatternCompiler = linearPattern): CompiledSchema {
  const compile = (child: Schema): CompiledSchema => compileSchema(child, compilePattern);
  const properties = new Map(Object.entries(schema.properties ?? {}).map(([name, child]) => [name, compile(child)]));
  const additional = compileAdditional(schema, compile);
  const items = schema.items === undefined ? undefined : compile(schema.items);
  const rules = schema["x-kubernetes-validations"] ?? [];
  const children = [...properties.values()];
  if (typeof additional === "object") children.push(additional);
  if (items !== undefined) children.push(items);
  const listType = schema["x-kubernetes-list-type"];
  return {
    schema,
    properties,
    required: schema.required ?? [],
    defaults: [...properties].filter(([, child]) => child.schema.default !== undefined).map(([name]) => name),
    additional,
    items,
    pattern: schema.pattern === undefined ? undefined : cacheMatches(compilePattern(schema.pattern)),
    format: schema.format === undefined ? undefined : cacheMatches(formatCheck(schema.format)),
    junctors: compileJunctors(schema, compile),
    rules,
    hasRules: rules.length > 0 || children.some((child) => child.hasRules),
    hasKeyedLists: listType === "set" || listType === "map" || children.some((child) => child.hasKeyedLists !== false),
    hasEmbedded:
      schema["x-kubernetes-embedded-resource"] === true || children.some((child) => child.hasEmbedded !== false),
  };
}

/** Limits on the number and the length of cached texts per matcher: small, because there may be very many matchers. */
const cacheSizeMax = 16;
const cachedLengthMax = 64;

/** Caches recent results: kinds, reasons and times repeat from object to object. */
function cacheMatches<Asked extends Matcher | undefined>(matcher: Asked): Asked;
function cacheMatches(matcher: Matcher | undefined): Matcher | undefined {
  if (matcher === undefined) return undefined;
  const results = new Map<string, boolean>();
  return (text) => {
    const cached = results.get(text);
    if (cached !== undefined) return cached;
    const answer = matcher(text);
    if (text.length > cachedLengthMax) return answer;
    if (results.size >= cacheSizeMax) results.clear();
    results.set(text, answer);
    return answer;
  };
}

function compileAdditional(schema: Schema, compile: (child: Schema) => CompiledSchema): CompiledSchema["additional"] {
  if (typeof schema.additionalProperties === "object") return compile(schema.additionalProperties);
  return schema["x-kubernetes-preserve-unknown-fields"] === true || schema.additionalProperties === true
    ? true
    : undefined;
}

function compileJunctors(schema: Schema, compile: (child: Schema) => CompiledSchema): Junctors | undefined {
  const { allOf = [], anyOf = [], oneOf = [], not } = schema;
  if (allOf.length + anyOf.length + oneOf.length === 0 && not === undefined) return undefined;
  return {
    allOf: allOf.map(compile),
    anyOf: anyOf.map(compile),
    oneOf: oneOf.map(compile),
    not: not === undefined ? undefined : compile(not),
  };
}

/** A copy of the schema's default. */
export function defaultOf(compiled: CompiledSchema): JsonValue | undefined {
  const value = compiled.schema.default;
  return typeof value === "object" && value !== null ? copied(value) : value;
}

function copied(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(copied);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, copied(member)]));
}
