import { isTooDeep } from "@milo-quota/kubernetes/protocol/json-depth.ts";
import { JsonSyntaxError, readJson } from "@milo-quota/kubernetes/protocol/json-reader.ts";
import type { JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { textOf } from "./go-text.ts";
import { ProtobufError } from "./wire-reader.ts";

export function base64Of(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}

/** JSON text embedded in a message; empty is null. */
export function rawJson(bytes: Uint8Array, message: string): JsonValue {
  if (bytes.length === 0) return null;
  const text = textOf(bytes);
  if (isTooDeep(text)) throw new ProtobufError(`proto: ${message}: exceeded max depth`);
  try {
    return readJson(text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new ProtobufError(`proto: ${message}: the raw value is not JSON: ${error.message}`);
  }
}
