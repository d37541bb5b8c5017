import type { ApiRequest } from "@milo-quota/kubernetes/client/transport/api-request.ts";
import { failure, StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { goJsonError } from "@milo-quota/kubernetes/protocol/go-json-error.ts";
import { JsonSyntaxError, readJson } from "@milo-quota/kubernetes/protocol/json-reader.ts";
import { typeFault } from "@milo-quota/kubernetes/protocol/json-type.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { readYaml } from "../../registry/yaml/read-yaml.ts";
import { firstHeader } from "../access/authenticator.ts";
import { decodeProtobuf, undecodable } from "../protobuf/decode-protobuf.ts";
import { duplicateFields } from "./duplicate-fields.ts";

const openingBrace = 0x7b;

/** How much of an unreadable body is quoted in the error. */
const shownLength = 30;

const json = "application/json";
const mergePatch = "application/merge-patch+json";
const yaml = "application/yaml";
export const protobuf = "application/vnd.kubernetes.protobuf";

/** The media type of a body, without its parameters; JSON when the header is absent. */
export function contentType(request: ApiRequest): string {
  const said = firstHeader(request.headers, "content-type");
  if (said === json || said === mergePatch) return said; // nearly all requests
  const [type = ""] = said.split(";");
  return type.trim().toLowerCase();
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** The text of a body. Invalid UTF-8 is decoded as Go does. */
export async function bodyText(request: ApiRequest): Promise<string> {
  return textOf(await request.body());
}

function textOf(body: Uint8Array | string): string {
  const text = typeof body === "string" ? body : decoder.decode(body);
  return text.includes("\\u") ? text.replace(loneSurrogate, "$1\\ufffd") : text;
}

/** Escapes of lone surrogates, which Go decodes as replacement characters; not those after an escaped backslash. */
const loneSurrogate =
  /((?<!\\)(?:\\\\)*)(?:\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2})/g;

export interface DecodedObject {
  readonly value: JsonValue;
  /** Paths of keys that occur twice. */
  readonly duplicates: readonly string[];
}

/** The expected kind of a body; custom kinds have no protobuf encoding. */
export interface BodyKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly isCustom: boolean;
}

/** The object of a request, in any encoding this server reads. */
export async function objectBody(request: ApiRequest, expected: BodyKind): Promise<DecodedObject> {
  const type = contentType(request);
  const accepted = expected.isCustom ? [json, yaml] : [json, yaml, protobuf];
  if (type !== "" && !accepted.includes(type)) throw unsupportedMediaType([json, yaml, protobuf]);
  if (type === protobuf) return { value: await protobufBody(request, expected), duplicates: [] };
  const body = await request.body();
  const text = textOf(body);
  const sent = type === yaml ? { value: readYaml(text), duplicates: [] } : jsonBody(text, expected.kind, body);
  if (expected.isCustom) requireKind(sent.value, text, expected.kind);
  return sent;
}

function isGroupVersion(apiVersion: string): boolean {
  const slash = apiVersion.indexOf("/");
  return slash < 0 || !apiVersion.includes("/", slash + 1);
}

/** Bodies of custom kinds must declare their kind. */
function requireKind(value: JsonValue, text: string, kind: string): void {
  if (!isJsonObject(value) || (value["kind"] ?? "") !== "") return;
  const because = `Object 'Kind' is missing in '${text}' (${shown(text)})`;
  throw new StatusError(failure("BadRequest", `${unrecognizedObject(kind)}: ${because}`));
}

/** A protobuf body, which Go clients prefer for built-in kinds. */
export async function protobufBody(request: ApiRequest, expected: Omit<BodyKind, "isCustom">): Promise<JsonValue> {
  const body = await request.body();
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  const decoded = decodeProtobuf(bytes, expected);
  if (!decoded.ok) throw new StatusError(undecodable(decoded, expected.kind, bytes));
  return { ...decoded.object, apiVersion: decoded.apiVersion, kind: decoded.kind };
}

function jsonBody(text: string, kind: string, sent: Uint8Array | string): DecodedObject {
  try {
    const value = readJson(text) ?? {};
    if (isJsonObject(value)) {
      requireTexts(value, text, kind);
      return { value, duplicates: duplicateFields(text, value) };
    }
    throw unrecognized(sent, kind, typeFault("object", value));
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw unrecognized(sent, kind, goJsonError(text) ?? error.message);
  }
}

/** kind and apiVersion must be strings, because they select the decoder. */
function requireTexts(value: JsonObject, text: string, kind: string): void {
  for (const field of ["apiVersion", "kind"]) {
    const said = value[field] ?? "";
    if (typeof said === "string") continue;
    throw unrecognized(text, kind, `${field}: ${typeFault("string", said)}`);
  }
  const { apiVersion } = value;
  if (typeof apiVersion !== "string" || isGroupVersion(apiVersion)) return;
  const because = `unexpected GroupVersion string: ${apiVersion} (${shown(text)})`;
  throw new StatusError(failure("BadRequest", `${unrecognizedObject(kind)}: ${because}`));
}

function unrecognizedObject(kind: string): string {
  return `the object provided is unrecognized (must be of type ${kind})`;
}

function unrecognized(text: Uint8Array | string, kind: string, fault: string): StatusError {
  const because = `couldn't get version/kind; json parse error: ${fault} (${shown(text)})`;
  return new StatusError(failure("BadRequest", `${unrecognizedObject(kind)}: ${because}`));
}

/** The beginning of a body; as bytes when it does not look like an object. */
function shown(body: Uint8Array | string): string {
  const bytes = typeof body === "string" ? Buffer.from(body) : Buffer.from(body.buffer, body.byteOffset, body.length);
  if (bytes.length === 0) return "<empty>";
  const start = bytes.subarray(0, shownLength);
  return start.toString(bytes[0] === openingBrace ? "utf8" : "hex") + (bytes.length > shownLength ? " ..." : "");
}

export function unsupportedMediaType(types: readonly string[]): StatusError {
  const message = `the body of the request was in an unknown format - accepted media types include: ${types.join(", ")}`;
  return new StatusError(failure("UnsupportedMediaType", message));
}

export function readJsonBody(text: string): JsonValue {
  try {
    return readJson(text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new StatusError(failure("BadRequest", error.message));
  }
}
