import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownValue,
  setOwn,
} from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { Schema } from "@milo-quota/kubernetes/schema/structural-schema.ts";
import { withMetadata } from "../fields/object-meta-schema.ts";
import { goType } from "../go-format.ts";
import { patchObject } from "../patch-errors.ts";
import {
  applyDirective,
  applyRetainKeys,
  badArgument,
  deletionTarget,
  directiveOf,
  orderTarget,
  withoutDirectives,
  withoutNulls,
} from "./directives.ts";
import { applyElementOrder, checkOrder } from "./element-order.ts";
import { deleteFromList, elementType, mergeLists } from "./merge-lists.ts";
import { type FieldRules, listRules, mapRules } from "./patch-rules.ts";

type List = readonly JsonValue[];

/**
 * Applies a strategic merge patch to an object of a built-in kind, whose schema has the merge strategies. The inputs
 * are not modified. Throws the StatusError of Kubernetes.
 */
export function strategicMerge(object: JsonObject, patch: JsonValue, schema: Schema): JsonObject {
  return mergeMap(object, patchObject(patch, ""), withMetadata(schema));
}

function mergeMap(original: JsonObject, patch: JsonObject, schema: Schema | undefined): JsonObject {
  const directive = directiveOf(patch);
  if (directive !== undefined) return applyDirective(directive, patch);
  const [kept, rest] = applyRetainKeys(original, patch);
  const merge = new MapMerge(kept, schema);
  for (const [key, value] of merge.takeOrders(rest)) merge.take(key, value);
  return merge.result;
}

class MapMerge {
  readonly result: Record<string, JsonValue>;
  readonly #schema: Schema | undefined;

  constructor(original: JsonObject, schema: Schema | undefined) {
    this.result = { ...original };
    this.#schema = schema;
  }

  /** Merges the lists that have `$setElementOrder`; returns the rest of the patch. */
  takeOrders(patch: JsonObject): readonly (readonly [string, JsonValue])[] {
    const done = new Set<string>();
    for (const [key, value] of Object.entries(patch)) {
      const target = orderTarget(key);
      if (target === undefined) continue;
      done.add(key).add(target);
      this.#takeOrdered(target, value, ownValue(patch, target));
    }
    return Object.entries(patch).filter(([key]) => !done.has(key));
  }

  #takeOrdered(key: string, order: JsonValue, patch: JsonValue | undefined): void {
    const wanted = requireList(order);
    const live = listAt(this.result, key);
    const changes = patch === undefined ? undefined : requireList(patch);
    const rules = listRules(this.#schema, key);
    checkOrder(changes ?? [], wanted, rules.mergeKey);
    const merged = mergedList(live, changes, rules);
    if (merged === undefined) return;
    elementType(live ?? [], changes ?? []);
    setOwn(this.result, key, applyElementOrder(merged, wanted, live ?? [], rules.mergeKey));
  }

  take(key: string, value: JsonValue): void {
    const deletedFrom = deletionTarget(key);
    const live = ownValue(this.result, key);
    if (deletedFrom !== undefined) this.#deleteFrom(deletedFrom, value);
    else if (value === null) delete this.result[key];
    else if (isJsonObject(live) && isJsonObject(value)) this.#mergeMapAt(key, live, value);
    else if (Array.isArray(live) && Array.isArray(value)) this.#mergeListAt(key, live, value);
    else this.#set(key, withoutDirectives(withoutNulls(value)));
  }

  #mergeMapAt(key: string, live: JsonObject, patch: JsonObject): void {
    const { schema, strategy } = mapRules(this.#schema, key);
    this.#set(key, strategy === "replace" ? patch : mergeMap(live, patch, schema));
  }

  #mergeListAt(key: string, live: List, patch: List): void {
    this.#set(key, mergedList(live, patch, listRules(this.#schema, key)));
  }

  #deleteFrom(key: string, value: JsonValue): void {
    const live = ownValue(this.result, key);
    if (value === null) delete this.result[key];
    else if (Array.isArray(live) && Array.isArray(value)) {
      const { mergeKey, schema } = listRules(this.#schema, key);
      const isOfMaps = isJsonObject(value[0]) || isJsonObject(live[0]);
      // Kubernetes treats a deletion of maps as an ordinary merge.
      setOwn(
        this.result,
        key,
        isOfMaps ? mergeLists(live, value, mergeKey, within(schema)) : deleteFromList(live, value),
      );
    } else if (live !== undefined && goType(live) === goType(value)) this.take(key, value);
  }

  #set(key: string, value: JsonValue | undefined): void {
    if (value === undefined) delete this.result[key];
    else setOwn(this.result, key, value);
  }
}

/** Undefined when neither side has a list. */
function mergedList(live: List | undefined, patch: List | undefined, rules: FieldRules): List | undefined {
  if (live === undefined) return patch === undefined ? undefined : (withoutDirectives(patch) as List);
  if (patch === undefined) return live;
  return rules.strategy === "merge" ? mergeLists(live, patch, rules.mergeKey, within(rules.schema)) : patch;
}

function listAt(object: JsonObject, key: string): List | undefined {
  const value = ownValue(object, key);
  return value === undefined ? undefined : requireList(value);
}

function within(schema: Schema | undefined): (original: JsonObject, patch: JsonObject) => JsonObject {
  return (original, patch) => mergeMap(original, patch, schema);
}

function requireList(value: JsonValue): List {
  if (!Array.isArray(value)) throw badArgument("list", value);
  return value;
}
