import type { ApiStatus } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { ScopedView } from "../registry/kinds/kind-view.ts";

/** The plane of a path, and the rest of the path inside that plane. */
export interface PlanePath {
  readonly plane: string;
  readonly path: string;
  /** The part of the plane that this path may access; left out: the whole plane. */
  readonly view?: ScopedView;
  /** Why requests on this path fail. Sent only to clients that are authorized. */
  readonly unavailable?: ApiStatus;
}

export type PlaneResolver = (path: string) => PlanePath | undefined;
