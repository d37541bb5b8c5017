import { labelValue } from "@milo-quota/kubernetes/protocol/names.ts";
import type { Schema } from "@milo-quota/kubernetes/schema/structural-schema.ts";

/** Properties of a request that grants can select by, such as a location and an instance type. */
export type Dimensions = Readonly<Record<string, string>>;

export const dimensionsMax = 10;

export const dimensionValueSchema = {
  type: "string",
  maxLength: 63,
  pattern: "^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$",
} as const satisfies Schema;

export const dimensionsSchema = {
  type: "object",
  maxProperties: dimensionsMax,
  additionalProperties: dimensionValueSchema,
} as const satisfies Schema;

/** `location=DFW,type=d1`, independent of the order. */
export function dimensionKey(dimensions: Dimensions): string {
  const names = Object.keys(dimensions);
  if (names.length === 0) return "";
  return names
    .map((name) => `${name}=${dimensions[name]}`)
    .sort()
    .join(",");
}

/** Undefined for what is no dimension key. */
export function parseDimensionKey(key: string): Dimensions | undefined {
  if (key === "") return {};
  const entries = key.split(",").map((part) => part.split("=", 2) as [string, string | undefined]);
  if (entries.some(([name, value]) => name === "" || value === undefined || labelValue(value).length > 0))
    return undefined;
  const dimensions = Object.fromEntries(entries) as Dimensions;
  return dimensionKey(dimensions) === key ? dimensions : undefined;
}
