import { failure, invalidObject, StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { invalid } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { quote } from "@milo-quota/kubernetes/protocol/go-quote.ts";
import { typeFault } from "@milo-quota/kubernetes/protocol/json-type.ts";
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { writeJson } from "@milo-quota/kubernetes/protocol/json-writer.ts";
import { formatApiVersion, parseApiVersion } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { pruneAndDefault } from "@milo-quota/kubernetes/schema/prune-and-default.ts";
import { decodeIssue } from "./builtin/typed/decode-issue.ts";
import type { ApiObject } from "./kinds/api-object.ts";
import { prunedObject } from "./kinds/fit-cache.ts";
import type { ServedKind } from "./kinds/served-kind.ts";
import { isCanonicalMetadata } from "./metadata/canonical-metadata.ts";
import { compiledMetadata } from "./metadata/compiled-metadata.ts";
import type { WriteRequest } from "./object-request.ts";

/** Unknown fields that are reported. */
const unknownMax = 64;

/**
 * Decodes the body of a request as an object of its kind: pruned and defaulted. Rejects objects of another kind and,
 * with strict field validation, unknown and duplicate fields.
 */
export function decodeObject(value: JsonValue, request: WriteRequest, duplicates: readonly string[] = []): ApiObject {
  const { kind } = request;
  if (!isJsonObject(value)) throw unrecognized(kind, value);
  checkKind(value, kind);
  const complete = ordered(value, kind);
  const issue = kind.decodeIssue?.(complete);
  if (issue !== undefined) throw new StatusError(failure("BadRequest", issue));
  const { object, unknown } = readFields(complete, kind);
  const faults = [
    ...duplicates.map((field) => `duplicate field ${quote(field)}`),
    ...unknown.map((field) => unknownFieldFault(field, kind)),
  ];
  reportFaults(faults, request, `${kind.kind} in version ${quote(kind.version)} cannot be handled as a ${kind.kind}`);
  return object;
}

/** The result of a patch. */
export interface PatchResult {
  readonly value: JsonValue;
  /** Issues for strict field validation. */
  readonly faults: readonly string[];
  /** The patch as quoted in an error, for a strategic merge; other errors quote the result. */
  readonly patch?: () => string;
}

/** Decodes the result of a patch. An undecodable result is an error of the patch, worded as in Kubernetes. */
export function decodePatched({ value, faults, patch }: PatchResult, request: WriteRequest): ApiObject {
  const { kind, fieldValidation, warn } = request;
  const shown = patch ?? (() => writeJson(value));
  const refuse = (because: string): StatusError =>
    new StatusError(invalidObject({ group: "", kind: "" }, "", [invalid("patch", shown(), because)]));
  if (!isJsonObject(value)) throw refuse("the patch does not result in an object");
  try {
    if (kind.isCustom) requireSameKind(value, kind);
    else checkKind(value, kind);
  } catch (error) {
    if (kind.isCustom) throw error;
    throw error instanceof StatusError ? refuse(withoutSubject(error.message)) : error;
  }
  const issue = kind.decodeIssue?.(value);
  if (issue !== undefined) throw refuse(withoutSubject(issue));
  const { object, unknown } = readFields(value, kind);
  const all = [...faults, ...unknown.map((field) => unknownFieldFault(field, kind))];
  if (all.length > 0 && fieldValidation === "Strict") throw refuse(strictFault(all));
  if (fieldValidation === "Warn") for (const fault of all.slice(0, unknownMax)) warn(fault);
  return object;
}

/** Removes the kind from a message that is quoted in another. */
function withoutSubject(message: string): string {
  return message.replace(/^.*? cannot be handled as a \S+: /, "");
}

interface ReadObject {
  readonly object: ApiObject;
  readonly unknown: readonly string[];
}

/** Prunes unknown fields and returns their paths. */
function readFields(value: JsonObject, kind: ServedKind): ReadObject {
  const metadata = readMetadata(value["metadata"] ?? {}, kind);
  const walked = prunedObject(kind.schema, value);
  // Built-in kinds are decoded by their Go types, which determine how nulls are treated.
  const read = kind.rules.read?.(ordered(value, kind) as unknown as ApiObject);
  const object = read ?? withMetadataOf(isJsonObject(walked.value) ? walked.value : value, metadata.value);
  return {
    object: ordered(object, kind) as unknown as ApiObject,
    unknown: allUnknown(kind, metadata.unknown, walked.unknownFields),
  };
}

const none: readonly never[] = [];

interface ReadMetadata {
  readonly value: JsonObject;
  readonly unknown: readonly string[];
}

function readMetadata(metadata: JsonValue, kind: ServedKind): ReadMetadata {
  if (!isJsonObject(metadata)) throw badMetadata(kind, `metadata: ${typeFault("object", metadata)}`);
  if (isCanonicalMetadata(metadata)) return { value: metadata, unknown: none };
  const issue = decodeIssue("meta.v1.ObjectMeta", metadata);
  if (issue !== undefined) throw badMetadata(kind, `metadata.${issue}`);
  const { value, unknownFields } = pruneAndDefault(compiledMetadata, metadata, false);
  return { value: withoutEmpty(value as JsonObject), unknown: unknownFields };
}

function withMetadataOf(object: JsonObject, metadata: JsonObject): JsonObject {
  return object["metadata"] === metadata ? object : { ...object, metadata };
}

function allUnknown(kind: ServedKind, ofMetadata: readonly string[], ofObject: readonly string[]): readonly string[] {
  if (ofMetadata.length + ofObject.length === 0) return none;
  const aboutMetadata = ofMetadata.map((field) => `metadata.${field}`);
  const all = kind.isCustom ? [...aboutMetadata, ...[...ofObject].sort()] : [...ofObject, ...aboutMetadata];
  return [...new Set(all)];
}

/** Stored objects begin with kind and apiVersion, so that lists can omit them without parsing. */
function ordered(object: JsonObject, kind: ServedKind): JsonObject {
  const apiVersion = formatApiVersion(kind.group, kind.version);
  if (isOrdered(object, kind.kind, apiVersion)) return object;
  const { kind: _, apiVersion: __, ...rest } = object;
  return { kind: kind.kind, apiVersion, metadata: {}, ...rest };
}

function isOrdered(object: JsonObject, kind: string, apiVersion: string): boolean {
  const names = Object.keys(object);
  const isHead = names[0] === "kind" && names[1] === "apiVersion" && names[2] === "metadata";
  return isHead && object["kind"] === kind && object["apiVersion"] === apiVersion;
}

function reportFaults(faults: readonly string[], { fieldValidation, warn }: WriteRequest, subject: string): void {
  if (faults.length === 0 || fieldValidation === "Ignore") return;
  if (fieldValidation === "Strict") {
    throw new StatusError(failure("BadRequest", `${subject}: ${strictFault(faults)}`));
  }
  for (const fault of faults.slice(0, unknownMax)) warn(fault);
}

function unknownFieldFault(field: string, { unknownFieldHint }: ServedKind): string {
  const hint = unknownFieldHint?.(field);
  return `unknown field ${quote(field)}${hint === undefined ? "" : ` (${hint})`}`;
}

function strictFault(faults: readonly string[]): string {
  return `strict decoding error: ${faults.slice(0, unknownMax).join(", ")}`;
}

/** apiVersion and kind of a body must match the request; built-in kinds may omit them. */
function checkKind(value: JsonObject, kind: ServedKind): void {
  const { apiVersion = "", kind: name = "" } = value as Readonly<Record<string, unknown>>;
  const expected = formatApiVersion(kind.group, kind.version);
  if (typeof apiVersion !== "string" || typeof name !== "string") throw unrecognized(kind, value);
  if (kind.isCustom) {
    checkCustomKind(value, apiVersion, name, kind);
    return;
  }
  if ((name === "" || name === kind.kind) && (apiVersion === "" || apiVersion === expected)) return;
  const [shownKind, shownVersion] = [name || kind.kind, apiVersion || expected];
  const subject = `${shownKind} in version ${quote(versionOf(shownVersion))} cannot be handled as a ${kind.kind}`;
  throw bad(`${subject}: no kind ${quote(shownKind)} is registered for version ${quote(shownVersion)}`);
}

/** Custom kinds may not omit them, and have other error texts. */
function checkCustomKind(value: JsonObject, apiVersion: string, name: string, kind: ServedKind): void {
  const expected = formatApiVersion(kind.group, kind.version);
  if (name === "") throw bad(`Object 'Kind' is missing in '${writeJson(value)}'`);
  if (apiVersion !== expected) {
    const subject = `the API version in the data (${apiVersion})`;
    throw bad(`${subject} does not match the expected API version (${expected})`);
  }
  if (name === kind.kind) return;
  const metadata = isJsonObject(value["metadata"] ?? null) ? (value["metadata"] as JsonObject) : {};
  const issue = invalid("kind", name, `must be ${kind.kind}`);
  throw new StatusError(
    invalidObject({ group: kind.group, kind: name }, String(ownValue(metadata, "name") ?? ""), [issue]),
  );
}

/** The result of a patch to a custom object is decoded by its declared kind, and then rejected if that differs. */
function requireSameKind(value: JsonObject, kind: ServedKind): void {
  const { apiVersion = "", kind: name = "", metadata = {} } = value as Readonly<Record<string, JsonValue>>;
  const expected = formatApiVersion(kind.group, kind.version);
  if (name === "") throw bad(`Object 'Kind' is missing in '${writeJson(value)}'`);
  if (name === kind.kind && apiVersion === expected) return;
  const issue =
    name === kind.kind
      ? invalid("apiVersion", apiVersion, `must be ${expected}`)
      : invalid("kind", name, `must be ${kind.kind}`);
  const { group } = parseApiVersion(String(apiVersion));
  const called = isJsonObject(metadata) ? String(ownValue(metadata, "name") ?? "") : "";
  throw new StatusError(invalidObject({ group, kind: String(name) }, called, [issue]));
}

function versionOf(apiVersion: string): string {
  return apiVersion.slice(apiVersion.indexOf("/") + 1);
}

function unrecognized(kind: ServedKind, value: JsonValue): StatusError {
  const because = `couldn't get version/kind; json parse error: ${typeFault("object", value)}`;
  return bad(`the object provided is unrecognized (must be of type ${kind.kind}): ${because}`);
}

function badMetadata(kind: ServedKind, because: string): StatusError {
  return bad(`${kind.kind} in version ${quote(kind.version)} cannot be handled as a ${kind.kind}: ${because}`);
}

function bad(message: string): StatusError {
  return new StatusError(failure("BadRequest", message));
}

/** Empty metadata fields are omitted, as in Go. */
function withoutEmpty(metadata: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(metadata).filter(([, value]) => !isEmpty(value)));
}

function isEmpty(value: JsonValue): boolean {
  if (typeof value !== "object") return value === "" || value === 0;
  return value === null || Object.keys(value).length === 0;
}
