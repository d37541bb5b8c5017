import { type ApiStatus, failure } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { quote } from "@milo-quota/kubernetes/protocol/go-quote.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { parseApiVersion } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { type Envelope, readEnvelope } from "./envelope.ts";
import { structOfKind, type TypeMeta } from "./kind-structs.ts";
import { readMessage } from "./message-reader.ts";
import { ProtobufError } from "./wire-reader.ts";

export type DecodedBody =
  | { readonly ok: true; readonly apiVersion: string; readonly kind: string; readonly object: JsonObject }
  /** `of` is the kind that the body declares, if that could be read. */
  | { readonly ok: false; readonly because: string; readonly of: TypeMeta | undefined };

/** How much of an undecodable body is quoted in the error. */
const shownLength = 30;

/**
 * Decodes a body of type `application/vnd.kubernetes.protobuf` into the object that Go would marshal to JSON. A body
 * without kind or version has the expected ones.
 */
export function decodeProtobuf(body: Uint8Array, expected: TypeMeta): DecodedBody {
  let of: TypeMeta | undefined;
  try {
    const envelope = readEnvelope(body);
    of = namedKind(envelope, expected);
    return { ok: true, ...of, object: readObject(of, envelope.raw) };
  } catch (error) {
    if (!(error instanceof ProtobufError)) throw error;
    return { ok: false, because: error.message, of };
  }
}

/** The error for a body that is not an object of the expected kind. */
export function undecodable(
  fault: DecodedBody & { readonly ok: false },
  expectedKind: string,
  body: Uint8Array,
): ApiStatus {
  const { of, because } = fault;
  if (of === undefined) {
    const subject = `the object provided is unrecognized (must be of type ${expectedKind})`;
    return failure("BadRequest", `${subject}: ${because} (${shown(body)})`);
  }
  const { version } = parseApiVersion(of.apiVersion);
  const subject = `${of.kind} in version ${quote(version)} cannot be handled as a ${expectedKind}`;
  return failure("BadRequest", `${subject}: ${because}`);
}

function namedKind({ apiVersion, kind }: Envelope, expected: TypeMeta): TypeMeta {
  const isVersioned = /^([^/]*\/)?[^/]+$/.test(apiVersion);
  return {
    apiVersion: isVersioned ? apiVersion.replace(/^\//, "") : expected.apiVersion,
    kind: kind === "" ? expected.kind : kind,
  };
}

function readObject(of: TypeMeta, raw: Uint8Array): JsonObject {
  const struct = structOfKind(of);
  if (struct === undefined) {
    throw new ProtobufError(`no kind ${quote(of.kind)} is registered for version ${quote(of.apiVersion)}`);
  }
  return { kind: of.kind, apiVersion: of.apiVersion, ...readMessage(struct, raw) };
}

function shown(body: Uint8Array): string {
  if (body.length === 0) return "<empty>";
  const start = Buffer.from(body.subarray(0, shownLength));
  return start.toString(body[0] === 0x7b ? "utf8" : "hex") + (body.length > shownLength ? " ..." : "");
}
