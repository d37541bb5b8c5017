import { depthMax, isJsonObject, type JsonObject, type JsonValue } from "../protocol/json-value.ts";
import { type CompiledSchema, defaultOf } from "./compiled-schema.ts";
import { coercedMetadata } from "./embedded-metadata.ts";
import type { PartFits } from "./fits-as-is.ts";
import { ObjectDraft } from "./object-draft.ts";

/** What somebody knows of the fields of objects that are shaped again and again. */
export interface KnownParts {
  /** Whether a field is all that its schema asks for, and can be left as it is. */
  readonly fits: PartFits;
  /** The default of a field, which objects may share: nobody can change it. */
  readonly defaultOf: (compiled: CompiledSchema) => JsonValue | undefined;
}

/** A value brought into the shape of its schema. */
export interface Shaped {
  /** With defaults filled in, unknown fields and stray nulls gone; the very same one when nothing changed. */
  readonly value: JsonValue;
  /** The paths of fields that no schema names; they are not in `value`. */
  readonly unknownFields: readonly string[];
}

/** The fields every object has; their content is not for the schema of a kind to say. */
const objectFields = new Set(["apiVersion", "kind", "metadata"]);

/**
 * Prunes and defaults. Nulls where none may be count as left out. Whether the value is right is another question.
 * `isWholeObject` says that apiVersion, kind and metadata belong there although no schema names them. `parts` may know
 * something of the fields of the value.
 */
export function shaped(compiled: CompiledSchema, value: JsonValue, isWholeObject: boolean, parts?: KnownParts): Shaped {
  const shaping = new Shaping(parts);
  const result = shaping.visit(compiled, value, { isObject: isWholeObject, keepsUnknown: false });
  return { value: result, unknownFields: shaping.unknown };
}

interface Manner {
  /** Whether the fields of every object belong here. */
  readonly isObject: boolean;
  /** Whether fields stay that no schema names. */
  readonly keepsUnknown: boolean;
}

const plain: Manner = { isObject: false, keepsUnknown: false };
const keeping: Manner = { isObject: false, keepsUnknown: true };

class Shaping {
  readonly unknown: string[] = [];
  readonly #path: (string | number)[] = [];
  readonly #parts: KnownParts | undefined;

  constructor(parts: KnownParts | undefined) {
    this.#parts = parts;
  }

  visit(compiled: CompiledSchema | undefined, value: JsonValue, manner: Manner): JsonValue {
    if (this.#path.length > depthMax) return value;
    if (Array.isArray(value)) return this.#visitArray(compiled, value, manner);
    if (!isJsonObject(value)) return value;
    return compiled === undefined ? this.#emptied(value, manner) : this.#visitObject(compiled, value, manner);
  }

  #visitArray(compiled: CompiledSchema | undefined, items: readonly JsonValue[], manner: Manner): JsonValue {
    const itemSchema = compiled?.items;
    if (itemSchema === undefined && this.#keeps(compiled, manner)) return items;
    const itemManner = itemSchema !== undefined && this.#keeps(compiled, manner) ? keeping : plain;
    let changed: JsonValue[] | undefined;
    for (let index = 0; index < items.length; index += 1) {
      const item = items[index] as JsonValue;
      const walked = this.#visitAt(index, itemSchema, presentItem(itemSchema, item), itemManner);
      if (walked === item) continue;
      changed ??= [...items];
      changed[index] = walked;
    }
    return changed ?? items;
  }

  #keeps(compiled: CompiledSchema | undefined, { keepsUnknown }: Manner): boolean {
    return keepsUnknown || compiled?.schema["x-kubernetes-preserve-unknown-fields"] === true;
  }

  /** Nothing below a value that nobody describes is known. */
  #emptied(object: JsonObject, { keepsUnknown }: Manner): JsonValue {
    if (keepsUnknown) return object;
    const draft = new ObjectDraft(object);
    for (const key of Object.keys(object)) this.#dropUnknown(key, draft);
    return draft.result();
  }

  #visitObject(compiled: CompiledSchema, object: JsonObject, manner: Manner): JsonValue {
    const draft = new ObjectDraft(object);
    const isEmbedded = compiled.hasEmbedded !== false && compiled.schema["x-kubernetes-embedded-resource"] === true;
    const isObject = isEmbedded || manner.isObject;
    for (const key of Object.keys(object)) {
      if (isObject && objectFields.has(key)) this.#visitObjectField(compiled, key, draft);
      else this.#visitField(compiled, key, draft, manner);
    }
    if (isEmbedded) this.#coerceMetadata(draft);
    this.#fillDefaults(compiled, draft);
    return draft.result();
  }

  #visitField(compiled: CompiledSchema, key: string, draft: ObjectDraft, manner: Manner): void {
    const value = draft.original[key] as JsonValue;
    const child = compiled.properties.get(key) ?? compiled.additional;
    if (child === undefined || child === true) {
      if (this.#keeps(compiled, manner)) return;
      // Without a schema for them, members of a map stay, and what is below them goes.
      if (typeof compiled.schema.additionalProperties === "boolean") this.#setVisited(undefined, key, value, draft);
      else this.#dropUnknown(key, draft);
    } else if (value === null && child.schema.nullable !== true) {
      this.#setAbsent(child, key, draft);
    } else {
      const visited = this.#visitAt(key, child, value, plain);
      if (visited !== value) draft.set(key, visited);
    }
  }

  /** A null where none may be: the default of a map's values, if they have one; that of a property is filled later. */
  #setAbsent(child: CompiledSchema, key: string, draft: ObjectDraft): void {
    draft.remove(key);
    const fallback = defaultOf(child);
    if (fallback !== undefined) this.#setVisited(child, key, fallback, draft);
  }

  #setVisited(child: CompiledSchema | undefined, key: string, value: JsonValue, draft: ObjectDraft): void {
    draft.set(key, this.#visitAt(key, child, value, plain));
  }

  /** A value that is nothing but itself needs no look. */
  #visitAt(step: string | number, child: CompiledSchema | undefined, value: JsonValue, manner: Manner): JsonValue {
    if (typeof value !== "object" || value === null) return value;
    if (this.#path.length === 0 && child !== undefined && this.#parts?.fits(child, value) === true) return value;
    this.#path.push(step);
    const visited = this.visit(child, value, manner);
    this.#path.pop();
    return visited;
  }

  /** Defaulted where a schema says so, never pruned by it. */
  #visitObjectField(compiled: CompiledSchema, key: string, draft: ObjectDraft): void {
    const child = compiled.properties.get(key);
    if (child === undefined) return;
    const value = draft.original[key] as JsonValue;
    if (value === null && child.schema.nullable !== true) draft.remove(key);
    else draft.set(key, this.#visitAt(key, child, value, keeping));
  }

  #coerceMetadata(draft: ObjectDraft): void {
    const metadata = draft.get("metadata");
    if (metadata === null) draft.set("metadata", {});
    if (!isJsonObject(metadata)) return;
    const coerced = coercedMetadata(metadata);
    if (coerced === undefined) return;
    for (const field of coerced.unknownFields) this.#at("metadata", () => this.#at(field, () => this.#noteUnknown()));
    draft.set("metadata", coerced.value);
  }

  #fillDefaults(compiled: CompiledSchema, draft: ObjectDraft): void {
    for (const name of compiled.defaults) {
      const child = compiled.properties.get(name);
      const value = child === undefined || draft.has(name) ? undefined : this.#defaultOf(child);
      if (child !== undefined && value !== undefined) this.#setVisited(child, name, value, draft);
    }
  }

  #defaultOf(child: CompiledSchema): JsonValue | undefined {
    const parts = this.#path.length === 0 ? this.#parts : undefined;
    return parts === undefined ? defaultOf(child) : parts.defaultOf(child);
  }

  #dropUnknown(key: string, draft: ObjectDraft): void {
    this.#at(key, () => this.#noteUnknown());
    draft.remove(key);
  }

  #noteUnknown(): void {
    let text = "";
    for (const step of this.#path) {
      if (typeof step === "number") text += `[${step}]`;
      else text += text === "" ? step : `.${step}`;
    }
    this.unknown.push(text);
  }

  #at<Result>(step: string | number, visit: () => Result): Result {
    this.#path.push(step);
    const result = visit();
    this.#path.pop();
    return result;
  }
}

/** A null in a list stands for the default of its items, and else stays to be refused. */
function presentItem(items: CompiledSchema | undefined, item: JsonValue): JsonValue {
  if (item !== null || items === undefined || items.schema.nullable === true) return item;
  return defaultOf(items) ?? null;
}
