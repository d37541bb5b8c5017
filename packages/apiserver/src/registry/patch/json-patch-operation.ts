import { failure, StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { typeFault } from "@milo-quota/kubernetes/protocol/json-type.ts";
import { isJsonObject, type JsonValue, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { badPatch, requireShallow } from "./patch-errors.ts";

const operationsMax = 10_000;
const knownFields = ["op", "path", "from", "value"];

/** One operation of a JSON patch. A field is undefined when absent or null, except for `value`, which may be null. */
export interface JsonPatchOperation {
  readonly op: string;
  readonly path: string | undefined;
  readonly from: string | undefined;
  readonly value: JsonValue | undefined;
}

export interface JsonPatch {
  readonly operations: readonly JsonPatchOperation[];
  /** Issues for field validation: `json patch unknown field "[0].foo"`. */
  readonly strictIssues: readonly string[];
}

/** Parses a JSON patch. Throws the StatusError of Kubernetes. */
export function parseJsonPatch(document: JsonValue): JsonPatch {
  const steps = document === null ? [] : document;
  if (!Array.isArray(steps)) throw undecodable(typeFault("array", document));
  const operations = (requireShallow(steps) as readonly JsonValue[]).map(parseOperation);
  if (operations.length > operationsMax) {
    const limit = `The allowed maximum operations in a JSON patch is ${operationsMax}, got ${operations.length}`;
    throw new StatusError(failure("RequestEntityTooLarge", `Request entity too large: ${limit}`));
  }
  return { operations, strictIssues: steps.flatMap(unknownFields) };
}

function parseOperation(step: JsonValue): JsonPatchOperation {
  if (step === null) return { op: "unknown", path: undefined, from: undefined, value: undefined };
  if (!isJsonObject(step)) throw undecodable(typeFault("object", step));
  const text = (field: string): string | undefined => {
    const value = ownValue(step, field) ?? undefined;
    if (value === undefined || typeof value === "string") return value;
    throw undecodable(`${field}: ${typeFault("string", value)}`);
  };
  return { op: text("op") ?? "unknown", path: text("path"), from: text("from"), value: ownValue(step, "value") };
}

function unknownFields(step: JsonValue, index: number): string[] {
  if (!isJsonObject(step)) return [];
  const unknown = Object.keys(step).filter((field) => !knownFields.includes(field));
  return unknown.map((field) => `json patch unknown field "[${index}].${field}"`);
}

function undecodable(fault: string): StatusError {
  return badPatch(`error decoding patch: ${fault}`);
}
