import { depthMax, isJsonObject, type JsonObject, type JsonValue } from "../protocol/json-value.ts";
import { type CompiledSchema, defaultOf } from "./compiled-schema.ts";
import { coerceMetadata } from "./embedded-metadata.ts";
import type { PartFits } from "./fits-as-is.ts";
import { ObjectDraft } from "./object-draft.ts";

/** Cached knowledge of objects' top-level fields. */
export interface FieldCache {
  /** Whether a field certainly fits its schema and needs no walk. */
  readonly fits: PartFits;
  /** The default of a field, frozen and shared between objects. */
  readonly defaultOf: (compiled: CompiledSchema) => JsonValue | undefined;
}

/** A pruned and defaulted value. */
export interface PruneResult {
  /** Defaulted, without unknown fields and stray nulls; the same object when nothing changed. */
  readonly value: JsonValue;
  /** The paths of pruned fields. */
  readonly unknownFields: readonly string[];
}

/** The common fields, which the schema of a kind does not describe. */
const objectFields = new Set(["apiVersion", "kind", "metadata"]);

/**
 * Prunes and defaults, without validating. Nulls that are not allowed count as absent. `isWholeObject`: apiVersion,
 * kind and metadata are known although they are not declared. `cache` may skip parts of the value.
 */
export function pruneAndDefault(
  compiled: CompiledSchema,
  value: JsonValue,
  isWholeObject: boolean,
  cache?: FieldCache,
): PruneResult {
  const pruner = new Pruner(cache);
  const result = pruner.visit(compiled, value, { isObject: isWholeObject, keepsUnknown: false });
  return { value: result, unknownFields: pruner.unknown };
}

interface PruneMode {
  /** Whether the common fields are known here. */
  readonly isObject: boolean;
  /** Whether unknown fields are preserved. */
  readonly keepsUnknown: boolean;
}

const plain: PruneMode = { isObject: false, keepsUnknown: false };
const keeping: PruneMode = { isObject: false, keepsUnknown: true };

class Pruner {
  readonly unknown: string[] = [];
  readonly #path: (string | number)[] = [];
  readonly #cache: FieldCache | undefined;

  constructor(cache: FieldCache | undefined) {
    this.#cache = cache;
  }

  visit(compiled: CompiledSchema | undefined, value: JsonValue, mode: PruneMode): JsonValue {
    if (this.#path.length > depthMax) return value;
    if (Array.isArray(value)) return this.#visitArray(compiled, value, mode);
    if (!isJsonObject(value)) return value;
    return compiled === undefined ? this.#pruneAll(value, mode) : this.#visitObject(compiled, value, mode);
  }

  #visitArray(compiled: CompiledSchema | undefined, items: readonly JsonValue[], mode: PruneMode): JsonValue {
    const itemSchema = compiled?.items;
    if (itemSchema === undefined && this.#keeps(compiled, mode)) return items;
    const itemMode = itemSchema !== undefined && this.#keeps(compiled, mode) ? keeping : plain;
    let changed: JsonValue[] | undefined;
    for (let index = 0; index < items.length; index += 1) {
      const item = items[index] as JsonValue;
      const walked = this.#visitAt(index, itemSchema, presentItem(itemSchema, item), itemMode);
      if (walked === item) continue;
      changed ??= [...items];
      changed[index] = walked;
    }
    return changed ?? items;
  }

  #keeps(compiled: CompiledSchema | undefined, { keepsUnknown }: PruneMode): boolean {
    return keepsUnknown || compiled?.schema["x-kubernetes-preserve-unknown-fields"] === true;
  }

  /** Without a schema all fields are unknown. */
  #pruneAll(object: JsonObject, { keepsUnknown }: PruneMode): JsonValue {
    if (keepsUnknown) return object;
    const draft = new ObjectDraft(object);
    for (const key of Object.keys(object)) this.#dropUnknown(key, draft);
    return draft.result();
  }

  #visitObject(compiled: CompiledSchema, object: JsonObject, mode: PruneMode): JsonValue {
    const draft = new ObjectDraft(object);
    const isEmbedded = compiled.hasEmbedded !== false && compiled.schema["x-kubernetes-embedded-resource"] === true;
    const isObject = isEmbedded || mode.isObject;
    for (const key of Object.keys(object)) {
      if (isObject && objectFields.has(key)) this.#visitObjectField(compiled, key, draft);
      else this.#visitField(compiled, key, draft, mode);
    }
    if (isEmbedded) this.#coerceMetadata(draft);
    this.#fillDefaults(compiled, draft);
    return draft.result();
  }

  #visitField(compiled: CompiledSchema, key: string, draft: ObjectDraft, mode: PruneMode): void {
    const value = draft.original[key] as JsonValue;
    const child = compiled.properties.get(key) ?? compiled.additional;
    if (child === undefined || child === true) {
      if (this.#keeps(compiled, mode)) return;
      // Map members without a schema are kept, but their content is pruned.
      if (typeof compiled.schema.additionalProperties === "boolean") this.#setVisited(undefined, key, value, draft);
      else this.#dropUnknown(key, draft);
    } else if (value === null && child.schema.nullable !== true) {
      this.#setAbsent(child, key, draft);
    } else {
      const visited = this.#visitAt(key, child, value, plain);
      if (visited !== value) draft.set(key, visited);
    }
  }

  /**
   * A null that is not allowed: replaced by the default of map values, if any; defaults of properties are filled in
   * later.
   */
  #setAbsent(child: CompiledSchema, key: string, draft: ObjectDraft): void {
    draft.remove(key);
    const fallback = defaultOf(child);
    if (fallback !== undefined) this.#setVisited(child, key, fallback, draft);
  }

  #setVisited(child: CompiledSchema | undefined, key: string, value: JsonValue, draft: ObjectDraft): void {
    draft.set(key, this.#visitAt(key, child, value, plain));
  }

  /** Scalars need no walk. */
  #visitAt(step: string | number, child: CompiledSchema | undefined, value: JsonValue, mode: PruneMode): JsonValue {
    if (typeof value !== "object" || value === null) return value;
    if (this.#path.length === 0 && child !== undefined && this.#cache?.fits(child, value) === true) return value;
    this.#path.push(step);
    const visited = this.visit(child, value, mode);
    this.#path.pop();
    return visited;
  }

  /** Defaulted by the schema, but never pruned. */
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
    const coerced = coerceMetadata(metadata);
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
    const parts = this.#path.length === 0 ? this.#cache : undefined;
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

/** A null in a list is replaced by the default of its items; otherwise it stays and is rejected by validation. */
function presentItem(items: CompiledSchema | undefined, item: JsonValue): JsonValue {
  if (item !== null || items === undefined || items.schema.nullable === true) return item;
  return defaultOf(items) ?? null;
}
