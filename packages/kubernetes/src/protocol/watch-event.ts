import type { ApiStatus } from "./api-status.ts";
import type { KubernetesObject, ObjectMeta } from "./object-meta.ts";

/** One line of a watch stream. */
export type WatchEvent<Stored extends KubernetesObject = KubernetesObject> =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: Stored }
  | { readonly type: "BOOKMARK"; readonly object: Bookmark }
  | { readonly type: "ERROR"; readonly object: ApiStatus };

/** Has only a revision, and perhaps the annotation that ends the initial events. */
export interface Bookmark extends KubernetesObject {
  readonly metadata: Pick<ObjectMeta, "annotations"> & { readonly resourceVersion: string };
}

const initialEventsEnd = "k8s.io/initial-events-end";

export function endsInitialEvents(bookmark: Bookmark): boolean {
  return bookmark.metadata.annotations?.[initialEventsEnd] === "true";
}
