import { quote } from "@milo-quota/kubernetes/protocol/go-quote.ts";
import { readJson } from "@milo-quota/kubernetes/protocol/json-reader.ts";
import { typeFault } from "@milo-quota/kubernetes/protocol/json-type.ts";
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownValue,
  setOwn,
} from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { WebhookType } from "./webhook.ts";

export interface AdmissionResponse {
  readonly allowed: boolean;
  /** A JSON patch of at least one operation. */
  readonly patch: JsonValue | undefined;
  readonly warnings: readonly string[];
  readonly auditAnnotations: Readonly<Record<string, string>>;
  /** The Status that comes with a rejection. */
  readonly result: JsonValue | undefined;
}

/** Why a response is unusable; the message completes `failed calling webhook "x": `. */
export class UnusableResponse extends Error {
  override readonly name = "UnusableResponse";
}

export interface ExpectedResponse {
  readonly type: WebhookType;
  readonly uid: string;
  readonly version: string;
}

const warningsMax = 100;
const annotationsMax = 100;

/** Throws UnusableResponse. */
export function readResponse(review: JsonValue, expected: ExpectedResponse): AdmissionResponse {
  const response = isJsonObject(review) ? ownValue(review, "response") : undefined;
  if (!isJsonObject(review) || !isJsonObject(response)) throw invalidResponse("webhook response was absent");
  // v1beta1 responses need not repeat kind and uid.
  if (expected.version === "v1") requireMatchingResponse(expected, review, response);
  return {
    allowed: ownValue(response, "allowed") === true,
    patch: expected.type === "mutating" ? readPatch(response, expected.version) : noPatch(response, expected.version),
    warnings: textsOf(ownValue(response, "warnings")),
    auditAnnotations: annotationsOf(ownValue(response, "auditAnnotations")),
    result: ownValue(response, "status"),
  };
}

function requireMatchingResponse(expected: ExpectedResponse, review: JsonObject, response: JsonObject): void {
  const uid = textOf(ownValue(response, "uid"));
  if (uid !== expected.uid) throw invalidResponse(`expected response.uid=${quote(expected.uid)}, got ${quote(uid)}`);
  const kind = textOf(ownValue(review, "kind"));
  const apiVersion = textOf(ownValue(review, "apiVersion"));
  if (kind === "AdmissionReview" && apiVersion === "admission.k8s.io/v1") return;
  const got = `${apiVersion === "" ? "/" : apiVersion}, Kind=${kind}`;
  throw invalidResponse(`expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got ${got}`);
}

function noPatch(response: JsonObject, version: string): undefined {
  if (version !== "v1") return undefined;
  if (textOf(ownValue(response, "patch")) !== "")
    throw invalidResponse("validating webhook may not return response.patch");
  if (patchTypeOf(response) !== undefined)
    throw invalidResponse("validating webhook may not return response.patchType");
  return undefined;
}

function readPatch(response: JsonObject, version: string): JsonValue | undefined {
  const patch = Buffer.from(textOf(ownValue(response, "patch")), "base64").toString("utf8");
  if (version === "v1") requirePatchType(patch, patchTypeOf(response));
  if (patch === "") return undefined;
  const steps = decodedPatch(patch);
  return Array.isArray(steps) && steps.length === 0 ? undefined : steps;
}

function requirePatchType(patch: string, type: JsonValue | undefined): void {
  if (patch !== "" && type === undefined) {
    throw invalidResponse("webhook returned response.patch but not response.patchType");
  }
  if (patch === "" && type !== undefined) {
    throw invalidResponse("webhook returned response.patchType but not response.patch");
  }
  if (type === "") throw invalidResponse('webhook returned invalid response.patchType of ""');
  if (type !== undefined && type !== "JSONPatch") {
    throw new UnusableResponse(`unsupported patch type ${quote(textOf(type))}`);
  }
}

function patchTypeOf(response: JsonObject): JsonValue | undefined {
  return ownValue(response, "patchType") ?? undefined;
}

function decodedPatch(patch: string): JsonValue {
  const steps = parsedPatch(patch);
  if (steps === null) return [];
  if (Array.isArray(steps)) return steps;
  throw undecodable(typeFault("array", steps));
}

function parsedPatch(patch: string): JsonValue {
  try {
    return readJson(patch);
  } catch (error) {
    throw undecodable((error as Error).message);
  }
}

function undecodable(because: string): UnusableResponse {
  return new UnusableResponse(`received undecodable patch in webhook response: ${because}`);
}

function invalidResponse(because: string): UnusableResponse {
  return new UnusableResponse(`received invalid webhook response: ${because}`);
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

function textsOf(value: JsonValue | undefined): readonly string[] {
  const list = Array.isArray(value) ? value : [];
  return list.filter((item): item is string => typeof item === "string").slice(0, warningsMax);
}

function annotationsOf(value: JsonValue | undefined): Readonly<Record<string, string>> {
  const annotations: Record<string, string> = {};
  for (const [key, text] of Object.entries(isJsonObject(value) ? value : {}).slice(0, annotationsMax)) {
    if (typeof text === "string") setOwn(annotations, key, text);
  }
  return annotations;
}
