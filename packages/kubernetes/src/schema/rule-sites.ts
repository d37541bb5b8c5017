import { childPath, itemPath } from "../protocol/field-issue.ts";
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from "../protocol/json-value.ts";
import { canonicalJson } from "../protocol/json-writer.ts";
import type { CompiledSchema } from "./compiled-schema.ts";
import type { ValidationRule } from "./structural-schema.ts";

/** A value with CEL rules. */
export interface RuleSite {
  readonly compiled: CompiledSchema;
  readonly rules: readonly ValidationRule[];
  readonly path: string;
  readonly self: JsonValue;
  /** The value before an update; undefined for a create, and where old and new do not correlate. */
  readonly oldSelf: JsonValue | undefined;
}

/** All values with rules. The caller evaluates them. */
export function* ruleSites(
  compiled: CompiledSchema,
  self: JsonValue,
  oldSelf: JsonValue | undefined,
  path = "",
): Generator<RuleSite> {
  if (!compiled.hasRules) return;
  if (compiled.rules.length > 0) yield { compiled, rules: compiled.rules, path, self, oldSelf };
  if (isJsonObject(self)) yield* objectSites(compiled, self, isJsonObject(oldSelf) ? oldSelf : undefined, path);
  else if (Array.isArray(self)) yield* arraySites(compiled, self, Array.isArray(oldSelf) ? oldSelf : [], path);
}

function* objectSites(
  compiled: CompiledSchema,
  self: JsonObject,
  oldSelf: JsonObject | undefined,
  path: string,
): Generator<RuleSite> {
  for (const key of Object.keys(self)) {
    const property = compiled.properties.get(key);
    const child = property ?? compiled.additional;
    if (child === undefined || child === true || !child.hasRules) continue;
    const oldValue = oldSelf === undefined ? undefined : ownValue(oldSelf, key);
    yield* ruleSites(
      child,
      self[key] as JsonValue,
      oldValue,
      property === undefined ? itemPath(path, key) : childPath(path, key),
    );
  }
}

/** List items have an old value only in map lists. */
function* arraySites(
  compiled: CompiledSchema,
  self: readonly JsonValue[],
  oldSelf: readonly JsonValue[],
  path: string,
): Generator<RuleSite> {
  if (compiled.items?.hasRules !== true) return;
  const { schema } = compiled;
  const keys = schema["x-kubernetes-list-type"] === "map" ? (schema["x-kubernetes-list-map-keys"] ?? []) : [];
  const oldItems = new Map(keys.length === 0 ? [] : oldSelf.map((item) => [identityOf(item, keys), item]));
  for (const [index, item] of self.entries()) {
    yield* ruleSites(compiled.items, item, oldItems.get(identityOf(item, keys)), itemPath(path, index));
  }
}

/** The identity of a list item. */
function identityOf(item: JsonValue, keys: readonly string[]): string {
  return canonicalJson(keys.map((key) => (isJsonObject(item) ? (ownValue(item, key) ?? null) : null)));
}
