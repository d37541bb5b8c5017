import { textOf } from "./go-text.ts";
import { ProtobufError, WireReader } from "./wire-reader.ts";

/** Kubernetes' wrapper of a message: a magic prefix, then runtime.Unknown with the object's kind and message. */
export interface Envelope {
  /** Both empty if the sender omitted them. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly raw: Uint8Array;
}

const prefix = [0x6b, 0x38, 0x73, 0x00];

export function readEnvelope(body: Uint8Array): Envelope {
  if (body.length === 0) throw new ProtobufError("empty data");
  if (prefix.some((byte, at) => body[at] !== byte)) {
    const expected = `expected prefix [${prefix.join(" ")}]`;
    throw new ProtobufError(`provided data does not appear to be a protobuf message, ${expected}`);
  }
  if (body.length === prefix.length) throw new ProtobufError("empty body");
  return readUnknown(body.subarray(prefix.length));
}

function readUnknown(bytes: Uint8Array): Envelope {
  const wire = new WireReader(bytes);
  let envelope: Envelope = { apiVersion: "", kind: "", raw: new Uint8Array(0) };
  while (!wire.isAtEnd) {
    const tag = wire.tag("Unknown");
    if (tag.field === 1) envelope = { ...envelope, ...readTypeMeta(wire.bytes(tag, "typeMeta")) };
    else if (tag.field === 2) envelope = { ...envelope, raw: wire.bytes(tag, "raw") };
    else if (tag.field === 3) wire.bytes(tag, "contentEncoding");
    else if (tag.field === 4) wire.bytes(tag, "contentType");
    else wire.skip(tag.type);
  }
  return envelope;
}

function readTypeMeta(bytes: Uint8Array): { apiVersion?: string; kind?: string } {
  const wire = new WireReader(bytes);
  const typeMeta: { apiVersion?: string; kind?: string } = {};
  while (!wire.isAtEnd) {
    const tag = wire.tag("TypeMeta");
    if (tag.field === 1) typeMeta.apiVersion = textOf(wire.bytes(tag, "APIVersion"));
    else if (tag.field === 2) typeMeta.kind = textOf(wire.bytes(tag, "kind"));
    else wire.skip(tag.type);
  }
  return typeMeta;
}
