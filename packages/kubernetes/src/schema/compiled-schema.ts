import { RE2JS } from "re2js";
import type { JsonValue } from "../protocol/json-value.ts";
import { formatCheck } from "./formats.ts";
import type { Schema, ValidationRule } from "./structural-schema.ts";

/** Whether a text matches; a pattern matches anywhere in it unless it is anchored. */
export type Matcher = (text: string) => boolean;

/** Turns a pattern into a matcher. Patterns of strangers need one that takes linear time. */
export type PatternCompiler = (pattern: string) => Matcher;

/** A schema made ready for many walks: patterns compiled, children linked. */
export interface CompiledSchema {
  readonly schema: Schema;
  readonly properties: ReadonlyMap<string, CompiledSchema>;
  readonly required: readonly string[];
  /** The names of properties with a default. */
  readonly defaults: readonly string[];
  /** For the values of a map. Undefined when fields without a property are unknown; true when any are welcome. */
  readonly additional: CompiledSchema | true | undefined;
  readonly items: CompiledSchema | undefined;
  readonly pattern: Matcher | undefined;
  readonly format: Matcher | undefined;
  readonly junctors: Junctors | undefined;
  readonly rules: readonly ValidationRule[];
  /** Whether this schema or one below it has a rule, so that others need not be walked for them. */
  readonly hasRules: boolean;
  /** False when neither this schema nor one below it has a list that is a set or a map. */
  readonly hasKeyedLists?: boolean;
  /** False when neither this schema nor one below it has an object embedded in the object. */
  readonly hasEmbedded?: boolean;
}

export interface Junctors {
  readonly allOf: readonly CompiledSchema[];
  readonly anyOf: readonly CompiledSchema[];
  readonly oneOf: readonly CompiledSchema[];
  readonly not: CompiledSchema | undefined;
}

/** Linear time, in the syntax of Go. Throws on a malformed pattern. */
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
    pattern: schema.pattern === undefined ? undefined : remembering(compilePattern(schema.pattern)),
    format: schema.format === undefined ? undefined : remembering(formatCheck(schema.format)),
    junctors: compileJunctors(schema, compile),
    rules,
    hasRules: rules.length > 0 || children.some((child) => child.hasRules),
    hasKeyedLists: listType === "set" || listType === "map" || children.some((child) => child.hasKeyedLists !== false),
    hasEmbedded:
      schema["x-kubernetes-embedded-resource"] === true || children.some((child) => child.hasEmbedded !== false),
  };
}

/** How many answers of a matcher are remembered, and of texts how long: few, for there may be very many matchers. */
const answersMax = 16;
const answeredLengthMax = 64;

/** Remembers what was asked lately: kinds, reasons and times are the same in object after object. */
function remembering<Asked extends Matcher | undefined>(matcher: Asked): Asked;
function remembering(matcher: Matcher | undefined): Matcher | undefined {
  if (matcher === undefined) return undefined;
  const answers = new Map<string, boolean>();
  return (text) => {
    const known = answers.get(text);
    if (known !== undefined) return known;
    const answer = matcher(text);
    if (text.length > answeredLengthMax) return answer;
    if (answers.size >= answersMax) answers.clear();
    answers.set(text, answer);
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

/** The default of a schema, a copy that the object may own. */
export function defaultOf(compiled: CompiledSchema): JsonValue | undefined {
  const value = compiled.schema.default;
  return typeof value === "object" && value !== null ? copied(value) : value;
}

function copied(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(copied);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, copied(member)]));
}
