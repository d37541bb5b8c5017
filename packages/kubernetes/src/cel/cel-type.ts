import type { NamedFormat } from "./values/named-format.ts";
import type { Cidr } from "./values/network/cidr.ts";
import type { IpAddress } from "./values/network/ip-address.ts";
import type { Url } from "./values/network/url.ts";
import type { Quantity } from "./values/numbers/quantity.ts";
import type { SemanticVersion } from "./values/semantic-version.ts";
import {
  cidrName,
  durationName,
  formatName,
  ipName,
  optionalName,
  quantityName,
  semverName,
  timestampName,
  urlName,
} from "./values/type-name.ts";
import type {
  Duration,
  JsonObject,
  List,
  Mapping,
  Optional,
  Timestamp,
  TypeName,
  Uint,
  Value,
} from "./values/value.ts";

/** Types without parameters. `error` is the type of an expression that the checker has already reported. */
type PlainKind = "dyn" | "error" | "null" | "timestamp" | "duration" | Primitive;
export type Primitive = "bool" | "int" | "uint" | "double" | "string" | "bytes";

type Form =
  | { readonly kind: PlainKind }
  /** A primitive, or null. */
  | { readonly kind: "wrapper"; readonly of: Primitive }
  | { readonly kind: "list"; readonly element: Type; readonly size: number }
  | { readonly kind: "map"; readonly key: Type; readonly value: Type; readonly size: number }
  | { readonly kind: "type"; readonly of: Type | undefined; readonly size: number }
  /** An opaque type, such as an optional or a quantity. */
  | { readonly kind: "opaque"; readonly name: string; readonly parameters: readonly Type[]; readonly size: number }
  /** An object with declared fields, such as a custom resource typed by its schema. */
  | {
      readonly kind: "object";
      readonly name: string;
      readonly fields: ReadonlyMap<string, Field>;
      /** For objects that are plain JSON: they can be used as maps, and may have undeclared fields if they are open. */
      readonly json?: "closed" | "open";
    }
  /** A type parameter of a function's signature, or a type yet to be inferred. */
  | { readonly kind: "parameter"; readonly name: string };

export interface Field {
  readonly type: Type;
  /** The key in JSON, which may be spelled differently in expressions. */
  readonly property: string;
}

declare const held: unique symbol;

/** A type of the language; `V` is the TypeScript type of its values. */
export type Type<V = Value> = Form & { readonly [held]?: V };

export type ValueOf<T> = T extends Type<infer V> ? V : never;

export const dynType: Type = { kind: "dyn" };
export const errorType: Type = { kind: "error" };
export const nullType: Type<null> = { kind: "null" };
export const boolType: Type<boolean> = { kind: "bool" };
export const intType: Type<bigint> = { kind: "int" };
export const uintType: Type<Uint> = { kind: "uint" };
export const doubleType: Type<number> = { kind: "double" };
export const stringType: Type<string> = { kind: "string" };
export const bytesType: Type<Uint8Array> = { kind: "bytes" };
export const timestampType: Type<Timestamp> = { kind: "timestamp" };
export const durationType: Type<Duration> = { kind: "duration" };
export const quantityType: Type<Quantity> = { kind: "opaque", name: quantityName, parameters: [], size: 1 };
export const ipType: Type<IpAddress> = { kind: "opaque", name: ipName, parameters: [], size: 1 };
export const cidrType: Type<Cidr> = { kind: "opaque", name: cidrName, parameters: [], size: 1 };
export const urlType: Type<Url> = { kind: "opaque", name: urlName, parameters: [], size: 1 };
export const namedFormatType: Type<NamedFormat> = { kind: "opaque", name: formatName, parameters: [], size: 1 };
export const semverType: Type<SemanticVersion> = { kind: "opaque", name: semverName, parameters: [], size: 1 };
export const typeType: Type<TypeName> = { kind: "type", of: undefined, size: 1 };

export function listType(element: Type): Type<List> {
  return bounded({ kind: "list", element, size: 1 + sizeOf(element) });
}

export function mapType(key: Type, value: Type): Type<Mapping> {
  return bounded({ kind: "map", key, value, size: 1 + sizeOf(key) + sizeOf(value) });
}

export function optionalType(of: Type): Type<Optional> {
  return opaqueType(optionalName, [of]);
}

export function opaqueType<V = Value>(name: string, parameters: readonly Type[]): Type<V> {
  return bounded({ kind: "opaque", name, parameters, size: parameters.reduce((sum, one) => sum + sizeOf(one), 1) });
}

export function typeTypeOf(of: Type): Type<TypeName> {
  return bounded({ kind: "type", of, size: 1 + sizeOf(of) });
}

/** A primitive that may also be null, as schemas declare it with `nullable: true`. */
export function nullable(primitive: Type): Type {
  return isPrimitive(primitive) ? { kind: "wrapper", of: primitive.kind } : primitive;
}

export function objectType(name: string, fields: Readonly<Record<string, Type>>): Type<JsonObject> {
  return fieldsType(name, new Map(Object.entries(fields).map(([property, type]) => [property, { type, property }])));
}

/** An object whose fields are spelled differently in expressions and in JSON. */
export function fieldsType(name: string, fields: ReadonlyMap<string, Field>): Type<JsonObject> {
  return { kind: "object", name, fields };
}

/** An object of plain JSON. An open one may have further fields. */
export function jsonObjectType(
  name: string,
  fields: Readonly<Record<string, Type>>,
  isOpen: boolean,
): Type<JsonObject> {
  const declared = Object.entries(fields).map(([property, type]) => [property, { type, property }] as const);
  return { kind: "object", name, fields: new Map(declared), json: isOpen ? "open" : "closed" };
}

export function parameterType(name: string): Type {
  return { kind: "parameter", name };
}

const primitives: ReadonlySet<string> = new Set(["bool", "int", "uint", "double", "string", "bytes"]);

export function isPrimitive(type: Type): type is Type & { readonly kind: Primitive } {
  return primitives.has(type.kind);
}

export function isOptional(type: Type): type is Type & { readonly kind: "opaque" } {
  return type.kind === "opaque" && type.name === optionalName;
}

/** Nested map types can grow exponentially; beyond this size a type becomes `dyn`. */
const sizeMax = 400;

function bounded<V>(type: Form & { readonly size: number }): Type<V> {
  return type.size > sizeMax ? (dynType as Type<V>) : type;
}

function sizeOf(type: Type): number {
  return "size" in type ? type.size : 1;
}

/** As in error messages: `map(string, list(int))`. */
export function formatType(type: Type): string {
  switch (type.kind) {
    case "error":
      return "!error!";
    case "wrapper":
      return `wrapper(${type.of})`;
    case "list":
      return `list(${formatType(type.element)})`;
    case "map":
      return `map(${formatType(type.key)}, ${formatType(type.value)})`;
    case "type":
      return type.of === undefined ? "type" : `type(${formatType(type.of)})`;
    case "opaque":
      return type.parameters.length === 0 ? type.name : `${type.name}(${type.parameters.map(formatType).join(", ")})`;
    case "object":
    case "parameter":
      return type.name;
    default:
      return type.kind;
  }
}

/** The name of a type as a value: the result of `type(x)`. */
export function runtimeName(type: Type): string {
  switch (type.kind) {
    case "null":
      return "null_type";
    case "timestamp":
      return timestampName;
    case "duration":
      return durationName;
    case "wrapper":
      return type.of;
    case "object":
    case "opaque":
    case "parameter":
      return type.name;
    default:
      return type.kind;
  }
}
