import { extendObject } from "@milo-quota/kubernetes/protocol/extend-object.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ObjectMeta } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { ApiObject } from "../kinds/api-object.ts";

export type MetadataChange = { readonly [Field in keyof ObjectMeta]?: ObjectMeta[Field] | undefined };

/** Returns the object with changed metadata; undefined removes a field. The same object if nothing changes. */
export function withMetadata(object: ApiObject, change: MetadataChange): ApiObject {
  const before = object.metadata as Fields;
  const changed = change as Fields;
  if (!differs(before, changed)) return object;
  const metadata = removesField(before, changed) ? withoutRemoved(before, changed) : { ...before };
  for (const field in changed) if (changed[field] !== undefined) metadata[field] = changed[field];
  return { ...object, metadata: metadata as ObjectMeta } as ApiObject;
}

/** Whether a change removes a field that exists. */
function removesField(before: Fields, changed: Fields): boolean {
  for (const field in changed) if (changed[field] === undefined && Object.hasOwn(before, field)) return true;
  return false;
}

/** Copied: deleting a property would put the object into dictionary mode, which is slow. */
function withoutRemoved(before: Fields, changed: Fields): Record<string, unknown> {
  const left: Record<string, unknown> = {};
  for (const field in before) {
    if (!Object.hasOwn(changed, field) || changed[field] !== undefined) left[field] = before[field];
  }
  return left;
}

type Fields = Readonly<Record<string, unknown>>;

function differs(before: Fields, changed: Fields): boolean {
  for (const field in changed) if (before[field] !== changed[field]) return true;
  return false;
}

/** An object without one of its top-level fields. */
export function without(object: ApiObject, field: string): ApiObject {
  if (!Object.hasOwn(object, field)) return object;
  const { [field]: _, ...rest } = object as JsonObject;
  return rest as unknown as ApiObject;
}

/** An object with a top-level field as another object has it, present or not. */
export function withFieldOf(object: ApiObject, field: string, other: ApiObject): ApiObject {
  const value = (other as JsonObject)[field];
  return value === undefined ? without(object, field) : extendObject(object, { [field]: value });
}

export function finalizersOf({ metadata }: ApiObject): readonly string[] {
  return metadata.finalizers ?? [];
}
