import { depthMax, type JsonObject, type JsonValue } from "../../protocol/json-value.ts";
import { readsBack } from "../storage/reads-back.ts";
import type { ApiRequest } from "./api-request.ts";

/**
 * What a caller in this process sent, if reading its text would give the very same: then nobody has to. Undefined when
 * only the text tells, as of what has members that JSON leaves out.
 */
export function handedOver({ sent }: ApiRequest): JsonObject | readonly JsonValue[] | undefined {
  return sent !== undefined && isReadAlike(sent, 1) ? (sent as JsonObject | readonly JsonValue[]) : undefined;
}

function isReadAlike(value: unknown, depth: number): boolean {
  if (typeof value === "string") return isWhole(value);
  if (typeof value !== "object" || value === null) return readsBack(value);
  if (depth > depthMax) return false;
  return Array.isArray(value) ? itemsReadAlike(value, depth) : membersReadAlike(value, depth);
}

function itemsReadAlike(items: readonly unknown[], depth: number): boolean {
  for (let at = 0; at < items.length; at += 1) if (!isReadAlike(items[at], depth + 1)) return false;
  return true;
}

function membersReadAlike(object: object, depth: number): boolean {
  if (Object.getPrototypeOf(object) !== Object.prototype) return false;
  for (const key in object) {
    if (!isWhole(key) || !isReadAlike((object as JsonObject)[key], depth + 1)) return false;
  }
  return true;
}

/** Half a character is read as another one. The method is younger than the types that we compile with. */
function isWhole(text: string): boolean {
  return (text as string & { isWellFormed(): boolean }).isWellFormed();
}
