import { resourceForbidden, StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import type { ApiObject } from "./kinds/api-object.ts";
import { keyOf, type ObjectRequest, resourceOf } from "./object-request.ts";
import type { Registry } from "./registry.ts";

/** Whether a request may see an object. The object is parsed only if its key does not suffice. */
export function isInView({ within }: Pick<ObjectRequest, "within">, stored: ViewedObject): boolean {
  if (within === undefined) return true;
  if (within.namespace !== undefined && stored.key.namespace !== within.namespace) return false;
  return within.shows === undefined || within.shows(stored.object as ApiObject);
}

interface ViewedObject {
  readonly key: { readonly namespace: string };
  readonly object: StoredObject["object"];
}

/** The object of this name; undefined when there is none in view. */
export function storedInView({ store }: Pick<Registry, "store">, request: ObjectRequest, name: string) {
  const stored = store.get(keyOf(request, name));
  return stored !== undefined && isInView(request, stored) ? stored : undefined;
}

/** Rejects writes through a view to objects that are shared with other views. */
export function requireWritable(request: ObjectRequest, name: string): void {
  if (request.within?.isReadOnly !== true) return;
  throw new StatusError(resourceForbidden(resourceOf(request), name, "it is read-only here"));
}

/** Rejects objects that would be outside of the view. */
export function requireInView(request: ObjectRequest, object: ApiObject): void {
  const { namespace } = request;
  if (isInView(request, { key: { namespace }, object })) return;
  const name = object.metadata.name ?? "";
  const because = request.within?.invisibleReason?.(object) ?? "the object is outside of what this endpoint serves";
  throw new StatusError(resourceForbidden(resourceOf(request), name, because));
}
