import { type ApiStatus, failure } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { quote } from "@milo-quota/kubernetes/protocol/go-quote.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { parseApiVersion } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { type Envelope, readEnvelope } from "./envelope.ts";
import { type KindName, structOfKind } from "./kind-structs.ts";
import { readMessage } from "./message-reader.ts";
import { ProtobufFault } from "./wire-reader.ts";

export type DecodedBody =
  | { readonly ok: true; readonly apiVersion: string; readonly kind: string; readonly object: JsonObject }
  /** `of` is what the body says it is, when that much could be read. */
  | { readonly ok: false; readonly because: string; readonly of: KindName | undefined };

/** How much of a body that cannot be read is shown to whoever sent it. */
const shownLength = 30;

/**
 * Reads a body of type `application/vnd.kubernetes.protobuf`: the object looks as Go would write it as JSON. A body that
 * leaves out its kind or version is of the one that is expected where it was sent.
 */
export function decodeProtobuf(body: Uint8Array, expected: KindName): DecodedBody {
  let of: KindName | undefined;
  try {
    const envelope = readEnvelope(body);
    of = namedKind(envelope, expected);
    return { ok: true, ...of, object: readObject(of, envelope.raw) };
  } catch (error) {
    if (!(error instanceof ProtobufFault)) throw error;
    return { ok: false, because: error.message, of };
  }
}

/** The answer to a body that cannot be read as an object of the kind it should be. */
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

function namedKind({ apiVersion, kind }: Envelope, expected: KindName): KindName {
  const isVersioned = /^([^/]*\/)?[^/]+$/.test(apiVersion);
  return {
    apiVersion: isVersioned ? apiVersion.replace(/^\//, "") : expected.apiVersion,
    kind: kind === "" ? expected.kind : kind,
  };
}

function readObject(of: KindName, raw: Uint8Array): JsonObject {
  const struct = structOfKind(of);
  if (struct === undefined) {
    throw new ProtobufFault(`no kind ${quote(of.kind)} is registered for version ${quote(of.apiVersion)}`);
  }
  return { kind: of.kind, apiVersion: of.apiVersion, ...readMessage(struct, raw) };
}

function shown(body: Uint8Array): string {
  if (body.length === 0) return "<empty>";
  const start = Buffer.from(body.subarray(0, shownLength));
  return start.toString(body[0] === 0x7b ? "utf8" : "hex") + (body.length > shownLength ? " ..." : "");
}
