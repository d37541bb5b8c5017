import type { Parsed } from "../../protocol/field-issue.ts";
import type { JsonObject, JsonValue } from "../../protocol/json-value.ts";
import type { KubernetesObject } from "../../protocol/object-meta.ts";

export type AnyObject = KubernetesObject & JsonObject;

/** A parser that accepts any object. */
export function anyObject(value: JsonValue): Parsed<AnyObject> {
  return { ok: true, value: value as unknown as AnyObject };
}
