import { toText } from "../values/conversions.ts";
import { Failure, failed, missingKey, noSuchOverload } from "../values/failure.ts";
import { elementAt, listSize } from "../values/lists.ts";
import { mapField, mapGet } from "../values/maps.ts";
import { typeNameOf } from "../values/type-name.ts";
import { isList, isMapping, type List, Optional, type Outcome, Uint, type Value } from "../values/value.ts";

/** `value.field`. Null has no fields; Kubernetes clients often send it for "none". */
export function selectField(value: Value, field: string): Outcome {
  if (isMapping(value)) return foundOrMissing(mapField(value, field), field);
  if (value === null) return missingKey(field);
  if (value instanceof Optional) return throughOptional(value, (inner) => selectField(inner, field));
  return noFields(value);
}

/** `has(value.field)`. */
export function hasField(value: Value, field: string): Outcome {
  if (isMapping(value)) return mapField(value, field) !== undefined;
  if (value instanceof Optional) return value.value !== undefined && hasField(value.value, field);
  return isList(value) ? noFields(value) : false;
}

/** `value.?field`: an empty optional instead of an error. */
export function selectOptional(value: Value, field: string): Outcome {
  const inner = value instanceof Optional ? value.value : value;
  if (inner === undefined || !isMapping(inner)) return Optional.none;
  return new Optional(mapField(inner, field));
}

/** `value[key]`. */
export function valueAt(value: Value, key: Value): Outcome {
  if (isMapping(value)) return foundOrMissing(mapGet(value, key), key);
  if (isList(value)) return itemAt(value, key);
  if (value === null) return foundOrMissing(undefined, key);
  if (value instanceof Optional) return throughOptional(value, (inner) => valueAt(inner, key));
  return noSuchOverload();
}

/** `value[?key]`. */
export function optionalAt(value: Value, key: Value): Outcome {
  const optional = value instanceof Optional ? value : new Optional(value);
  return throughOptional(optional, (inner) => valueAt(inner, key));
}

/**
 * Selections on an optional are optional too: a missing key, or any key of null, a string or a number, gives an empty
 * optional. Other errors stay errors.
 */
function throughOptional({ value }: Optional, access: (inner: Value) => Outcome): Outcome {
  if (value === undefined || !(isMapping(value) || isList(value))) return Optional.none;
  const found = access(value);
  if (!failed(found)) return new Optional(found);
  return found.kind === "missing-key" || found.kind === "index-out-of-range" ? Optional.none : found;
}

function itemAt(list: List, key: Value): Outcome {
  const index = key instanceof Uint ? key.value : key;
  if (typeof index === "number" && !Number.isInteger(index)) {
    return new Failure("invalid-argument", `unsupported index value ${index}`);
  }
  if (typeof index !== "bigint" && typeof index !== "number") {
    return new Failure("no-such-overload", `unsupported index type '${typeNameOf(key)}' in list`);
  }
  if (index < 0 || index >= listSize(list)) {
    return new Failure("index-out-of-range", `index out of bounds: ${index}`);
  }
  return elementAt(list, Number(index));
}

function noFields(value: Value): Failure {
  return new Failure("no-such-overload", `type '${typeNameOf(value)}' does not support field selection`);
}

/** A key with value null is present. */
function foundOrMissing(found: Value | undefined, key: Value): Outcome {
  return found === undefined ? missingKey(keyText(key)) : found;
}

/** For an invalid key only its type: formatting a large list would take longer than the lookup. */
function keyText(key: Value): string {
  const text = key instanceof Uint8Array ? noSuchOverload() : toText(key);
  return failed(text) ? typeNameOf(key) : String(text);
}
