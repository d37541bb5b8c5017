import type { Type } from "../cel-type.ts";
import { Quantity } from "../values/quantity.ts";
import { optionalName, quantityName } from "../values/type-name.ts";
import { Duration, isList, isMapping, Optional, Timestamp, TypeName, Uint, type Value } from "../values/value.ts";

export type Guard = (value: Value) => boolean;

/** Tells at run time whether a value is of a type, elements aside: whoever takes a list looks at those itself. */
export function guardFor(type: Type): Guard {
  if (type.kind === "opaque") return opaqueGuards[type.name] ?? always;
  return guards[type.kind] ?? always;
}

const always: Guard = () => true;

const guards: Readonly<Partial<Record<Type["kind"], Guard>>> = {
  null: (value) => value === null,
  bool: (value) => typeof value === "boolean",
  int: (value) => typeof value === "bigint",
  uint: (value) => value instanceof Uint,
  double: (value) => typeof value === "number",
  string: (value) => typeof value === "string",
  bytes: (value) => value instanceof Uint8Array,
  timestamp: (value) => value instanceof Timestamp,
  duration: (value) => value instanceof Duration,
  list: isList,
  map: isMapping,
  type: (value) => value instanceof TypeName,
};

const opaqueGuards: Readonly<Record<string, Guard>> = {
  [optionalName]: (value) => value instanceof Optional,
  [quantityName]: (value) => value instanceof Quantity,
};
