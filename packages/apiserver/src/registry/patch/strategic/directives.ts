import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownValue,
  setOwn,
} from "@milo-quota/kubernetes/protocol/json-value.ts";
import { goType, printed } from "../go-format.ts";
import { badPatch, failureWithoutReasonError } from "../patch-errors.ts";

const deletionPrefix = "$deleteFromPrimitiveList";
const orderPrefix = "$setElementOrder";
const retainKeys = "$retainKeys";
const marker = "$patch";

/** The `$patch` directive of a map or list item; undefined when there is none. */
export function directiveOf(value: JsonValue): JsonValue | undefined {
  return isJsonObject(value) ? ownValue(value, marker) : undefined;
}

/** Applies a `$patch` directive: the map is replaced or deleted instead of merged. */
export function applyDirective(directive: JsonValue, patch: JsonObject): JsonObject {
  if (directive === "delete") return {};
  if (directive === "replace") return without(patch, [marker]);
  throw unknownDirective(directive, patch);
}

export function unknownDirective(directive: JsonValue, patch: JsonObject): Error {
  return failureWithoutReasonError(`unknown patch type: ${printed(directive)} in map: ${printed(patch)}`);
}

/** The list of a `$deleteFromPrimitiveList/` key; undefined for other keys. */
export function deletionTarget(key: string): string | undefined {
  return targetOf(key, deletionPrefix, "invalid patch format of primitive list");
}

/** The list of a `$setElementOrder/` key; undefined for other keys. */
export function orderTarget(key: string): string | undefined {
  return targetOf(key, orderPrefix, "invalid patch format of setElementOrder list");
}

function targetOf(key: string, prefix: string, fault: string): string | undefined {
  if (!key.startsWith(prefix)) return undefined;
  if (!key.startsWith(`${prefix}/`)) throw badPatch(fault);
  return key.slice(prefix.length + 1);
}

/** Applies `$retainKeys`: removes other keys from the original; the patch may have no others. */
export function applyRetainKeys(original: JsonObject, patch: JsonObject): [original: JsonObject, patch: JsonObject] {
  const keep = ownValue(patch, retainKeys);
  if (keep === undefined) return [original, patch];
  const rest = without(patch, [retainKeys]);
  const isForeign = ([key, value]: [string, JsonValue]): boolean =>
    value !== null && !key.startsWith(deletionPrefix) && !key.startsWith(orderPrefix) && !keys.has(key);
  const keys = new Set(Array.isArray(keep) ? (keep as readonly JsonValue[]) : []);
  if (!Array.isArray(keep) || Object.entries(rest).some(isForeign)) {
    throw badPatch("invalid patch format of retainKeys");
  }
  return [
    without(
      original,
      Object.keys(original).filter((key) => !keys.has(key)),
    ),
    rest,
  ];
}

/** A patch value without a counterpart to merge into; undefined when it only deletes. */
export function withoutDirectives(value: JsonValue): JsonValue | undefined {
  if (Array.isArray(value)) {
    return value.map((item: JsonValue) => withoutDirectives(item)).filter((item) => item !== undefined);
  }
  if (!isJsonObject(value)) return value;
  if (Object.hasOwn(value, marker)) return undefined;
  return mapMembers(value, withoutDirectives);
}

/** Null means "delete", and a new value has nothing to delete. */
export function withoutNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((item: JsonValue) => withoutNulls(item));
  if (!isJsonObject(value)) return value;
  return mapMembers(value, (member) => (member === null ? undefined : withoutNulls(member)));
}

function without(object: JsonObject, keys: readonly string[]): JsonObject {
  const rest: Record<string, JsonValue> = { ...object };
  for (const key of keys) delete rest[key];
  return rest;
}

export function badArgument(expected: "map" | "list", actual: JsonValue): Error {
  const type = expected === "map" ? "map[string]interface {}" : "[]interface {}";
  const shown = actual === null ? "%!s(<nil>)" : goType(actual);
  return failureWithoutReasonError(`expected a ${type}, but received a ${shown}`);
}

function mapMembers(object: JsonObject, change: (value: JsonValue) => JsonValue | undefined): JsonObject {
  const changed: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(object)) {
    const member = change(value);
    if (member !== undefined) setOwn(changed, key, member);
  }
  return changed;
}
