import type { ApiStatus } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { ScopedView } from "../registry/kinds/kind-view.ts";

/** Which plane a path belongs to, and what is left of the path inside it. */
export interface PlanePath {
  readonly plane: string;
  readonly path: string;
  /** What can be seen of the plane by this path; left out: all of it. */
  readonly view?: ScopedView;
  /** Why nothing can be answered by this path. Only those hear of it who might have been answered. */
  readonly unavailable?: ApiStatus;
}

export type PlaneResolver = (path: string) => PlanePath | undefined;
