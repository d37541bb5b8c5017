import { forbiddenTo, StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import type { ApiObject } from "./kinds/api-object.ts";
import { keyOf, type ObjectRequest, resourceOf } from "./object-request.ts";
import type { Registry } from "./registry.ts";

/** Whether an object can be seen by a request. It is parsed only for what its key does not say. */
export function isInView({ within }: Pick<ObjectRequest, "within">, stored: Seen): boolean {
  if (within === undefined) return true;
  if (within.namespace !== undefined && stored.key.namespace !== within.namespace) return false;
  return within.shows === undefined || within.shows(stored.object as ApiObject);
}

interface Seen {
  readonly key: { readonly namespace: string };
  readonly object: StoredObject["object"];
}

/** The object of this name; undefined when there is none in view. */
export function storedInView({ store }: Pick<Registry, "store">, request: ObjectRequest, name: string) {
  const stored = store.get(keyOf(request, name));
  return stored !== undefined && isInView(request, stored) ? stored : undefined;
}

/** Refuses to write, by way of a view, what belongs to more than the view. */
export function requireWritable(request: ObjectRequest, name: string): void {
  if (request.within?.isReadOnly !== true) return;
  throw new StatusError(forbiddenTo(resourceOf(request), name, "it can be read here, and not be changed"));
}

/** Refuses to make or leave an object that is out of view. */
export function requireInView(request: ObjectRequest, object: ApiObject): void {
  const { namespace } = request;
  if (isInView(request, { key: { namespace }, object })) return;
  const name = object.metadata.name ?? "";
  const because = request.within?.outOfView?.(object) ?? "the object is outside of what this endpoint serves";
  throw new StatusError(forbiddenTo(resourceOf(request), name, because));
}
