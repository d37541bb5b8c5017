import { typeFault } from "../protocol/json-type.ts";
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

/** The metadata of an embedded resource as stored: without unknown and empty fields. Undefined when nothing changes. */
export function coerceMetadata(
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

/** The first metadata field of the wrong type. */
export function metadataTypeFault(metadata: JsonValue): string | undefined {
  if (!isJsonObject(metadata)) return typeFault("object", metadata);
  for (const [name, member] of Object.entries(metadata)) {
    const reading = Object.hasOwn(fields, name) ? fields[name] : undefined;
    const fault = reading === undefined || member === null ? undefined : readingFault(reading, member);
    if (fault !== undefined) return `${name}${fault}`;
  }
  return undefined;
}

/** For a map of strings, the first member of the wrong type. */
function readingFault(reading: Reading, value: JsonValue): string | undefined {
  if (reading === "texts" && isJsonObject(value)) {
    const stray = Object.entries(value).find(([, one]) => typeof one !== "string" && one !== null);
    return stray === undefined ? undefined : `[${stray[0]}]: ${typeFault("string", stray[1])}`;
  }
  return reads[reading](value) ? undefined : `: ${typeFault(jsonTypes[reading], value)}`;
}

const reads: Readonly<Record<Reading, (value: JsonValue) => boolean>> = {
  text: (value) => typeof value === "string",
  texts: isJsonObject,
  number: (value) => typeof value === "number" || typeof value === "bigint",
  list: (value) => Array.isArray(value),
  time: (value) => typeof value === "string",
};

const jsonTypes: Readonly<Record<Reading, string>> = {
  text: "string",
  texts: "object",
  number: "number",
  list: "array",
  time: "string",
};

function isEmpty(value: JsonValue): boolean {
  if (value === null || value === "" || value === 0) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.keys(value).length === 0;
}
