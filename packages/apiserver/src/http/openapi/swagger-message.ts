import type { Component } from "./component.ts";

/** The media type in which kubectl requests OpenAPI v2: gnostic's protobuf Document. */
export const swaggerMessageType = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
/** The Accept header for it, which is not a valid media type and never used in a response. */
export const acceptedMessageType = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";

type Fields = readonly (readonly [name: string, field: number])[];

/** Field numbers of a Schema, by wire encoding. */
const texts: Fields = [
  ["$ref", 1],
  ["format", 2],
  ["title", 3],
  ["description", 4],
  ["pattern", 13],
];
const doubles: Fields = [
  ["multipleOf", 6],
  ["maximum", 7],
  ["minimum", 9],
];
const counts: Fields = [
  ["exclusiveMaximum", 8],
  ["exclusiveMinimum", 10],
  ["maxLength", 11],
  ["minLength", 12],
  ["maxItems", 14],
  ["minItems", 15],
  ["uniqueItems", 16],
  ["maxProperties", 17],
  ["minProperties", 18],
];
const defaultField = 5;
const [requiredField, enumField, additionalField, typeField, itemsField, allOfField, propertiesField] = [
  19, 20, 21, 22, 23, 24, 25,
];
const extensionField = 31;

/** Encodes the parts of an OpenAPI v2 document that describe kinds. */
export function swaggerMessage(document: Readonly<Record<string, unknown>>): Uint8Array {
  const { swagger, info, definitions } = document as {
    readonly swagger: string;
    readonly info: { readonly title: string; readonly version: string };
    readonly definitions: Readonly<Record<string, Component>>;
  };
  return Buffer.concat([
    text(1, swagger),
    nested(2, [text(1, info.title), text(2, info.version)]),
    nested(8, []), // an empty list of paths, which differs from an absent one
    nested(9, namedSchemas(definitions)),
  ]);
}

function namedSchemas(schemas: Readonly<Record<string, Component>>): readonly Uint8Array[] {
  return Object.entries(schemas).map(([name, schema]) => nested(1, [text(1, name), nested(2, schemaParts(schema))]));
}

function schemaParts(schema: Component): readonly Uint8Array[] {
  const value = schema as Readonly<Record<string, unknown>>;
  return [
    ...present(texts, value).map(([field, found]) => text(field, String(found))),
    ...(value["default"] === undefined ? [] : [anything(defaultField, value["default"])]),
    ...present(doubles, value).map(([field, found]) => double(field, Number(found))),
    ...present(counts, value).map(([field, found]) => count(field, Number(found))),
    ...list(value["required"]).map((name) => text(requiredField, String(name))),
    ...list(value["enum"]).map((choice) => anything(enumField, choice)),
    ...additional(value["additionalProperties"]),
    ...(value["type"] === undefined ? [] : [nested(typeField, [text(1, String(value["type"]))])]),
    ...(isSchema(value["items"]) ? [nested(itemsField, [nested(1, schemaParts(value["items"]))])] : []),
    ...list(value["allOf"]).map((one) => nested(allOfField, schemaParts(one as Component))),
    ...(isSchema(value["properties"]) ? [nested(propertiesField, namedSchemas(value["properties"] as never))] : []),
    ...extensions(value),
  ];
}

function additional(value: unknown): readonly Uint8Array[] {
  if (typeof value === "boolean") return [nested(additionalField, [count(2, Number(value))])];
  return isSchema(value) ? [nested(additionalField, [nested(1, schemaParts(value))])] : [];
}

function extensions(value: Readonly<Record<string, unknown>>): readonly Uint8Array[] {
  return Object.entries(value)
    .filter(([name, found]) => name.startsWith("x-") && found !== undefined)
    .map(([name, found]) => nested(extensionField, [text(1, name), anything(2, found)]));
}

function present(fields: Fields, value: Readonly<Record<string, unknown>>): readonly (readonly [number, unknown])[] {
  return fields.flatMap(([name, field]) => (value[name] === undefined ? [] : [[field, value[name]] as const]));
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isSchema(value: unknown): value is Component {
  return typeof value === "object" && value !== null;
}

/** Any value, as YAML, of which JSON is a subset. */
function anything(field: number, value: unknown): Uint8Array {
  return nested(field, [text(2, JSON.stringify(value))]);
}

function nested(field: number, parts: readonly Uint8Array[]): Uint8Array {
  return withLength(field, Buffer.concat(parts));
}

function text(field: number, value: string): Uint8Array {
  return withLength(field, Buffer.from(value));
}

function withLength(field: number, bytes: Uint8Array): Uint8Array {
  return Buffer.concat([tag(field, 2), varint(bytes.length), bytes]);
}

function double(field: number, value: number): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return Buffer.concat([tag(field, 1), bytes]);
}

/** An integer, or a boolean as one and zero. */
function count(field: number, value: number): Uint8Array {
  return Buffer.concat([tag(field, 0), varint(value)]);
}

function tag(field: number, wireType: number): Uint8Array {
  return varint(field * 8 + wireType);
}

/** For non-negative safe integers. */
function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let left = value;
  for (; left >= 128; left = Math.floor(left / 128)) bytes.push((left % 128) + 128);
  bytes.push(left);
  return Uint8Array.from(bytes);
}
