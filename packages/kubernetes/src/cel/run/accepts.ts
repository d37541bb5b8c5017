import type { Type } from "../cel-type.ts";
import { Opaque } from "../values/opaque.ts";
import { optionalName } from "../values/type-name.ts";
import { Duration, isList, isMapping, Optional, Timestamp, TypeName, Uint, type Value } from "../values/value.ts";

export type Guard = (value: Value) => boolean;

/** Checks a value's type at run time, without its elements, which functions of lists check themselves. */
export function guardFor(type: Type): Guard {
  if (type.kind === "opaque") return type.name === optionalName ? isOptional : opaqueGuard(type.name);
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

function isOptional(value: Value): boolean {
  return value instanceof Optional;
}

function opaqueGuard(name: string): Guard {
  return (value) => value instanceof Opaque && value.typeName === name;
}
