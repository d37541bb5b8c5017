// Converts types and values of the conformance suite.
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  nullable,
  nullType,
  opaqueType,
  parameterType,
  stringType,
  type Type,
  timestampType,
  typeType,
  typeTypeOf,
  uintType,
} from "../../src/cel/cel-type.ts";
import { decodeBase64 } from "../../src/cel/values/base64.ts";
import { Failure } from "../../src/cel/values/failure.ts";
import { MapBuilder } from "../../src/cel/values/maps.ts";
import { parseDuration } from "../../src/cel/values/time/durations.ts";
import { parseTimestamp } from "../../src/cel/values/time/timestamps.ts";
import { ListValue, type MapValue, TypeName, Uint, type Value } from "../../src/cel/values/value.ts";
import type { ProtoJson } from "./vectors.ts";

/** Thrown for values that only protocol buffers have. */
export class NeedsMessages extends Error {}

const primitives: Readonly<Record<string, Type>> = {
  BOOL: boolType,
  INT64: intType,
  UINT64: uintType,
  DOUBLE: doubleType,
  STRING: stringType,
  BYTES: bytesType,
};

const wellKnown: Readonly<Record<string, Type>> = {
  "google.protobuf.Timestamp": timestampType,
  "google.protobuf.Duration": durationType,
  "google.protobuf.BoolValue": nullable(boolType),
  "google.protobuf.Int32Value": nullable(intType),
  "google.protobuf.Int64Value": nullable(intType),
  "google.protobuf.UInt32Value": nullable(uintType),
  "google.protobuf.UInt64Value": nullable(uintType),
  "google.protobuf.FloatValue": nullable(doubleType),
  "google.protobuf.DoubleValue": nullable(doubleType),
  "google.protobuf.StringValue": nullable(stringType),
  "google.protobuf.BytesValue": nullable(bytesType),
  "google.protobuf.Value": dynType,
  "google.protobuf.ListValue": listType(dynType),
  "google.protobuf.Struct": mapType(stringType, dynType),
};

export function typeFrom(json: ProtoJson): Type {
  const [kind = "", content] = Object.entries(json)[0] ?? [];
  const part = (name: string) => typeFrom((content as Record<string, ProtoJson>)[name] ?? { dyn: {} });
  switch (kind) {
    case "primitive":
      return known(primitives, content);
    case "wrapper":
      return nullable(known(primitives, content));
    case "wellKnown":
      return content === "TIMESTAMP" ? timestampType : durationType;
    case "messageType":
      return known(wellKnown, content);
    case "listType":
      return listType(part("elemType"));
    case "mapType":
      return mapType(part("keyType"), part("valueType"));
    case "abstractType": {
      const { name, parameterTypes } = content as { name: string; parameterTypes?: ProtoJson[] };
      return opaqueType(name, (parameterTypes ?? []).map(typeFrom));
    }
    case "type":
      return Object.keys(content as object).length === 0 ? typeType : typeTypeOf(typeFrom(content as ProtoJson));
    case "typeParam":
      return parameterType(String(content));
    case "null":
      return nullType;
    default:
      return dynType;
  }
}

function known<T>(table: Readonly<Record<string, T>>, name: unknown): T {
  const found = table[String(name)];
  if (found === undefined) throw new NeedsMessages(`${String(name)} is a message type`);
  return found;
}

export function valueFrom(json: ProtoJson): Value {
  const [kind = "", content] = Object.entries(json)[0] ?? [];
  switch (kind) {
    case "nullValue":
      return null;
    case "boolValue":
      return Boolean(content);
    case "int64Value":
      return BigInt(String(content));
    case "uint64Value":
      return new Uint(BigInt(String(content)));
    case "doubleValue":
      return Number(content);
    case "stringValue":
      return String(content);
    case "bytesValue":
      return decodeBase64(String(content)) ?? fail("base64");
    case "typeValue":
      return new TypeName(String(content));
    case "listValue":
      return new ListValue(((content as { values?: ProtoJson[] }).values ?? []).map(valueFrom));
    case "mapValue":
      return mapFrom((content as { entries?: MapJson[] }).entries ?? []);
    case "objectValue":
      return objectFrom(content as ProtoJson);
    default:
      throw new NeedsMessages(`${kind} is not a value of ours`);
  }
}

interface MapJson {
  readonly key: ProtoJson;
  readonly value: ProtoJson;
}

function mapFrom(entries: readonly MapJson[]): MapValue {
  const map = new MapBuilder();
  for (const { key, value } of entries) map.insert(valueFrom(key), valueFrom(value));
  return map.finish();
}

/** A packed well-known message: its type, and the JSON it has by the rules of protocol buffers. */
function objectFrom({ "@type": url, value }: ProtoJson): Value {
  const name = String(url).replace("type.googleapis.com/", "");
  known(wellKnown, name);
  if (name.endsWith(".Timestamp")) return parsed(parseTimestamp(String(value)));
  if (name.endsWith(".Duration")) return parsed(parseDuration(String(value)));
  if (/\.Int(32|64)Value$/.test(name)) return BigInt(String(value));
  if (/\.UInt(32|64)Value$/.test(name)) return new Uint(BigInt(String(value)));
  if (name.endsWith(".BytesValue")) return decodeBase64(String(value)) ?? fail("base64");
  return fromProtoValue(value);
}

/** In google.protobuf.Value every number is a double. */
function fromProtoValue(json: unknown): Value {
  if (Array.isArray(json)) return new ListValue(json.map(fromProtoValue));
  if (typeof json !== "object" || json === null) return json as Value;
  const map = new MapBuilder();
  for (const [key, value] of Object.entries(json)) map.insert(key, fromProtoValue(value));
  return map.finish();
}

function parsed<T extends Value>(outcome: T | Failure): T {
  return outcome instanceof Failure ? fail(outcome.message) : outcome;
}

function fail(message: string): never {
  throw new Error(message);
}
