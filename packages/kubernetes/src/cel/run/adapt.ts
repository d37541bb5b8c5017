import { dynType, isOptional, type Type } from "../cel-type.ts";
import { parsingCost, readingCost, textCost } from "../libraries/costs.ts";
import { decodeBase64 } from "../values/base64.ts";
import { Failure, failed } from "../values/failure.ts";
import { fromJson } from "../values/from-json.ts";
import type { Meter } from "../values/meter.ts";
import { parseDuration } from "../values/time/durations.ts";
import { parseTimestamp } from "../values/time/timestamps.ts";
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

/** Converts JSON to a value, and charges for reading more than a few characters or elements. */
export type Adapter = (json: unknown, meter: Meter) => Outcome;

/**
 * Conversion of JSON by a declared type: `1` is a double where the schema says number, a date-time is a timestamp.
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
  timestamp: textAdapter((text) => parseTimestamp(fullDate(text)), readingCost),
  duration: textAdapter(parseDuration, parsingCost),
  bytes: textAdapter((text) => decodeBase64(text) ?? new Failure("conversion", "illegal base64 data"), textCost),
};

/** The access itself was charged one unit, so only the excess is charged. */
function textAdapter(parse: (text: string) => Outcome, cost: (text: string) => number): Adapter {
  return (json, meter) => {
    if (typeof json !== "string") return fromJson(json);
    meter.spend(Math.max(0, cost(json) - 1));
    return parse(json);
  };
}

/** A date is its midnight. */
function fullDate(text: string): string {
  return /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text;
}

/** Ten elements are included in the access; parsing a timestamp takes longer than most steps. */
function elementsCost(count: number): number {
  return 3 * Math.max(0, count - 10);
}

function listAdapter(adapt: Adapter | undefined): Adapter | undefined {
  if (adapt === undefined) return undefined;
  return (json, meter) => {
    if (!isJsonList(json)) return fromJson(json);
    meter.spend(elementsCost(json.length));
    const items = json.map((item) => adapt(item, meter));
    return items.find((item) => failed(item)) ?? new ListValue(items as Value[]);
  };
}

function mapAdapter(adapt: Adapter | undefined): Adapter | undefined {
  if (adapt === undefined) return undefined;
  return (json, meter) => {
    if (!isJsonObject(json)) return fromJson(json);
    const entries = new Map<string, MapEntry>();
    const keys = Object.keys(json);
    meter.spend(elementsCost(keys.length));
    for (const key of keys) {
      const value = adapt(json[key], meter);
      if (failed(value)) return value;
      entries.set(key, { key, value });
    }
    return new MapValue(entries);
  };
}

/** For an optional field the inner value is adapted. */
function optionalAdapter(adapt: Adapter | undefined): Adapter | undefined {
  if (adapt === undefined) return undefined;
  return (found, meter) => {
    if (!(found instanceof Optional) || found.value === undefined) return fromJson(found);
    const value = adapt(found.value, meter);
    return failed(value) ? value : new Optional(value);
  };
}
