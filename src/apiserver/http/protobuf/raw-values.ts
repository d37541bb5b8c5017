import { JsonSyntaxError, readJson } from "../../../protocol/json-reader.ts";
import { depthMax, isJsonObject, type JsonValue } from "../../../protocol/json-value.ts";
import { textOf } from "./go-text.ts";
import { ProtobufFault } from "./wire-reader.ts";

export function base64Of(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}

/** JSON text inside of a message; nothing is null. */
export function rawJson(bytes: Uint8Array, message: string): JsonValue {
  if (bytes.length === 0) return null;
  const value = parsed(textOf(bytes), message);
  if (isDeeperThan(value, depthMax)) throw new ProtobufFault(`proto: ${message}: exceeded max depth`);
  return value;
}

function parsed(text: string, message: string): JsonValue {
  try {
    return readJson(text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new ProtobufFault(`proto: ${message}: the raw value is no JSON: ${error.message}`);
  }
}

function isDeeperThan(value: JsonValue, levels: number): boolean {
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((item: JsonValue) => isDeeperThan(item, levels - 1));
  return isJsonObject(value) && Object.values(value).some((member) => isDeeperThan(member, levels - 1));
}
