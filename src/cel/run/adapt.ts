import { dynType, isOptional, type Type } from "../cel-type.ts";
import { decodeBase64 } from "../values/base64.ts";
import { parseDuration } from "../values/durations.ts";
import { Failure, failed } from "../values/failure.ts";
import { fromJson } from "../values/from-json.ts";
import { parseTimestamp } from "../values/timestamps.ts";
import {
  isJsonList,
  isJsonObject,
  ListValue,
  type MapEntry,
  MapValue,
  Optional,
  type Outcome,
  Uint,
  type Value,
} from "../values/value.ts";

/** Takes a JSON value into the language. */
export type Adapter = (json: unknown) => Outcome;

/**
 * How JSON of a declared type is read: a `1` where the schema says number is a double, a date-time is a timestamp.
 * Undefined where the type makes no difference, which is nearly everywhere.
 */
export function adapterFor(type: Type): Adapter | undefined {
  switch (type.kind) {
    case "list":
      return listAdapter(adapterFor(type.element));
    case "map":
      return mapAdapter(adapterFor(type.value));
    case "opaque":
      return isOptional(type) ? optionalAdapter(adapterFor(type.parameters[0] ?? dynType)) : undefined;
    case "wrapper":
      return scalarAdapters[type.of];
    default:
      return scalarAdapters[type.kind];
  }
}

const scalarAdapters: Readonly<Partial<Record<Type["kind"], Adapter>>> = {
  double: (json) => (typeof json === "bigint" ? Number(json) : (json as Value)),
  uint: (json) => {
    const integer = fromJson(json);
    return typeof integer === "bigint" && integer >= 0n ? new Uint(integer) : integer;
  },
  timestamp: (json) => (typeof json === "string" ? parseTimestamp(fullDate(json)) : fromJson(json)),
  duration: (json) => (typeof json === "string" ? parseDuration(json) : fromJson(json)),
  bytes: (json) => {
    if (typeof json !== "string") return fromJson(json);
    return decodeBase64(json) ?? new Failure("conversion", "illegal base64 data");
  },
};

/** A schema's date is the midnight it starts with. */
function fullDate(text: string): string {
  return /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text;
}

function listAdapter(adapt: Adapter | undefined): Adapter | undefined {
  if (adapt === undefined) return undefined;
  return (json) => {
    if (!isJsonList(json)) return fromJson(json);
    const items = json.map(adapt);
    return items.find((item) => failed(item)) ?? new ListValue(items as Value[]);
  };
}

function mapAdapter(adapt: Adapter | undefined): Adapter | undefined {
  if (adapt === undefined) return undefined;
  return (json) => {
    if (!isJsonObject(json)) return fromJson(json);
    const entries = new Map<string, MapEntry>();
    for (const key of Object.keys(json)) {
      const value = adapt(json[key]);
      if (failed(value)) return value;
      entries.set(key, { key, value });
    }
    return new MapValue(entries);
  };
}

/** Of an optional field the value inside is what was read. */
function optionalAdapter(adapt: Adapter | undefined): Adapter | undefined {
  if (adapt === undefined) return undefined;
  return (found) => {
    if (!(found instanceof Optional) || found.value === undefined) return fromJson(found);
    const value = adapt(found.value);
    return failed(value) ? value : new Optional(value);
  };
}
