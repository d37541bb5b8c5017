import { isJsonObject, type JsonObject, type JsonValue, setOwn } from "../protocol/json-value.ts";

type Reading = "text" | "texts" | "number" | "list" | "time";

const fields: Readonly<Record<string, Reading>> = {
  name: "text",
  generateName: "text",
  namespace: "text",
  selfLink: "text",
  uid: "text",
  resourceVersion: "text",
  generation: "number",
  creationTimestamp: "time",
  deletionTimestamp: "time",
  deletionGracePeriodSeconds: "number",
  labels: "texts",
  annotations: "texts",
  ownerReferences: "list",
  finalizers: "list",
  managedFields: "list",
};

/**
 * The metadata of an object embedded in another as a server keeps it: nothing but the fields that metadata has, and no
 * empty ones. Undefined when nothing changes.
 */
export function coercedMetadata(
  metadata: JsonObject,
): { readonly value: JsonObject; readonly unknownFields: readonly string[] } | undefined {
  const value: Record<string, JsonValue> = {};
  const unknownFields: string[] = [];
  for (const [name, member] of Object.entries(metadata)) {
    if (!Object.hasOwn(fields, name)) unknownFields.push(name);
    else if (!isEmpty(member)) setOwn(value, name, member);
  }
  if (Object.keys(value).length === Object.keys(metadata).length) return undefined;
  return { value, unknownFields };
}

/** What is wrong with the types in metadata, in the words of the server's own reader. */
export function metadataTypeFault(metadata: JsonValue): string | undefined {
  if (!isJsonObject(metadata))
    return `json: cannot unmarshal ${jsonName(metadata)} into Go value of type v1.ObjectMeta`;
  for (const [name, member] of Object.entries(metadata)) {
    const reading = Object.hasOwn(fields, name) ? fields[name] : undefined;
    const misfit = reading === undefined || member === null ? undefined : misfitOf(reading, member);
    if (misfit === undefined) continue;
    return `json: cannot unmarshal ${jsonName(misfit.value)} into Go struct field ObjectMeta.${name} of type ${misfit.wanted}`;
  }
  return undefined;
}

interface Misfit {
  readonly value: JsonValue;
  readonly wanted: string;
}

/** In a map of texts, the member that is none is told about. */
function misfitOf(reading: Reading, value: JsonValue): Misfit | undefined {
  if (reading === "texts" && isJsonObject(value)) {
    const stray = Object.values(value).find((one) => typeof one !== "string" && one !== null);
    return stray === undefined ? undefined : { value: stray, wanted: "string" };
  }
  return reads[reading](value) ? undefined : { value, wanted: goNames[reading] };
}

const reads: Readonly<Record<Reading, (value: JsonValue) => boolean>> = {
  text: (value) => typeof value === "string",
  texts: isJsonObject,
  number: (value) => typeof value === "number" || typeof value === "bigint",
  list: (value) => Array.isArray(value),
  time: (value) => typeof value === "string",
};

const goNames: Readonly<Record<Reading, string>> = {
  text: "string",
  texts: "map[string]string",
  number: "int64",
  list: "[]",
  time: "v1.Time",
};

function jsonName(value: JsonValue): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "boolean") return "bool";
  return typeof value === "bigint" ? "number" : value === null ? "null" : typeof value;
}

function isEmpty(value: JsonValue): boolean {
  if (value === null || value === "" || value === 0) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.keys(value).length === 0;
}
