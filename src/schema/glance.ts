import type { JsonValue } from "../protocol/json-value.ts";
import type { CompiledSchema, Matcher } from "./compiled-schema.ts";
import type { Schema } from "./structural-schema.ts";
import { enumIssues, itemCountIssues, numberIssues, propertyCountIssues, stringIssues } from "./value-checks.ts";

const nowhere = { fieldText: () => "", pathText: () => "" };

/** A field that an object has. */
export interface GlancedField {
  /** True for one that nobody describes and that may stay; undefined for one that may not. */
  readonly glance: Glance | true | undefined;
  /** Whether it must be there, by itself or by a default. */
  readonly isNeeded: boolean;
  /** Whether the schema names it. */
  readonly isNamed: boolean;
}

const welcome: GlancedField = { glance: true, isNeeded: false, isNamed: false };
const unknown: GlancedField = { glance: undefined, isNeeded: false, isNamed: false };

/**
 * What a schema asks for in a form that is quick to look at: schemas are written in many ways, and glances are all alike.
 * What is below is made when it is needed: a schema may hold itself.
 */
export class Glance {
  readonly compiled: CompiledSchema;
  /** Undefined when no value is at a glance what the schema asks for. */
  readonly type: Schema["type"];
  readonly needed: ReadonlySet<string>;
  readonly hasChoices: boolean;
  readonly hasFieldCount: boolean;
  /** Whether the schema says no more than that there is an object. */
  readonly isAnyObject: boolean;
  /** Those that were asked for. */
  readonly fields = new Map<string, GlancedField>();
  #others: GlancedField | undefined;
  #items: Glance | undefined;
  /** Texts of a length between these are right if they match what there is to match. */
  readonly lengthMax: number;
  readonly lengthMin: number;
  /** Whether any text of such a length, or any number of the type, is right. */
  readonly isAny: boolean;
  readonly #hasBounds: boolean;
  readonly #pattern: Matcher | undefined;
  readonly #format: Matcher | undefined;

  constructor(compiled: CompiledSchema) {
    const { schema } = compiled;
    this.compiled = compiled;
    this.type = isPlain(compiled) ? schema.type : undefined;
    this.needed = neededBy(compiled);
    this.hasChoices = schema.enum !== undefined;
    this.hasFieldCount = schema.minProperties !== undefined || schema.maxProperties !== undefined;
    this.isAnyObject = schema.type === "object" && Object.keys(schema).every((word) => wordsOfAny.has(word));
    this.#hasBounds = [schema.minimum, schema.maximum, schema.multipleOf].some((bound) => bound !== undefined);
    this.lengthMax = schema.maxLength ?? Number.POSITIVE_INFINITY;
    this.lengthMin = 2 * (schema.minLength ?? 0);
    this.#pattern = compiled.pattern;
    this.#format = compiled.format;
    this.isAny =
      !this.hasChoices && !this.#hasBounds && compiled.pattern === undefined && compiled.format === undefined;
  }

  /** The field of this name, named by the schema or not. */
  field(name: string): GlancedField {
    return this.fields.get(name) ?? this.#newField(name);
  }

  /** What the schema says of all items; undefined when it says nothing. */
  get items(): Glance | undefined {
    if (this.#items === undefined && this.compiled.items !== undefined) this.#items = glanceOf(this.compiled.items);
    return this.#items;
  }

  isChoice(value: JsonValue): boolean {
    return !this.hasChoices || enumIssues(this.compiled, value, nowhere).length === 0;
  }

  /** Texts so long or so short that their characters have to be counted are for somebody else to measure. */
  isText(value: string): boolean {
    const { length } = value;
    if (length > this.lengthMax || length < this.lengthMin)
      return stringIssues(this.compiled, value, nowhere).length === 0;
    return this.#pattern?.(value) !== false && this.#format?.(value) !== false;
  }

  isNumber(value: number | bigint): boolean {
    return !this.#hasBounds || numberIssues(this.compiled, value, nowhere).length === 0;
  }

  isFieldCount(count: number): boolean {
    return !this.hasFieldCount || propertyCountIssues(this.compiled, count, nowhere).length === 0;
  }

  isItemCount(count: number): boolean {
    return itemCountIssues(this.compiled, count, nowhere).length === 0;
  }

  #newField(name: string): GlancedField {
    const property = this.compiled.properties.get(name);
    const isNeeded = this.needed.has(name);
    if (property === undefined && !isNeeded) return this.#otherField();
    const glance = property === undefined ? this.#otherField().glance : glanceOf(property);
    const field = { glance, isNeeded, isNamed: property !== undefined };
    this.fields.set(name, field);
    return field;
  }

  #otherField(): GlancedField {
    this.#others ??= othersOf(this.compiled);
    return this.#others;
  }
}

const nothing: ReadonlySet<string> = new Set();

function neededBy({ required, defaults }: CompiledSchema): ReadonlySet<string> {
  return required.length + defaults.length === 0 ? nothing : new Set([...required, ...defaults]);
}

function othersOf({ additional, schema }: CompiledSchema): GlancedField {
  if (additional === true) return schema["x-kubernetes-preserve-unknown-fields"] === true ? welcome : unknown;
  return additional === undefined ? unknown : { glance: glanceOf(additional), isNeeded: false, isNamed: false };
}

const wordsOfAny: ReadonlySet<string> = new Set(["type", "description"]);

/** What a schema says in other ways than these takes a closer look. */
function isPlain({ schema, junctors }: CompiledSchema): boolean {
  const isOdd = schema["x-kubernetes-embedded-resource"] === true || schema["x-kubernetes-int-or-string"] === true;
  return junctors === undefined && !isOdd;
}

const glances = new WeakMap<CompiledSchema, Glance>();

export function glanceOf(compiled: CompiledSchema): Glance {
  const known = glances.get(compiled);
  if (known !== undefined) return known;
  const glance = new Glance(compiled);
  glances.set(compiled, glance);
  return glance;
}
