import type { ApiObject } from "./api-object.ts";
import type { ServedKind } from "./served-kind.ts";

/** A part of a plane with its own path: requests on that path have no access outside of it. */
export interface ScopedView {
  /** The name that authorizers see. */
  readonly name: string;
  of(kind: Pick<ServedKind, "group" | "kind" | "plural" | "scope">): KindView;
  /**
   * Whether the view is still the one of the request's path; after a change, watches on the path send no more events.
   */
  readonly isCurrent?: () => boolean;
}

/** The objects of a kind that a view includes. */
export interface KindView {
  /** The only visible namespace; left out for cluster-scoped kinds. */
  readonly namespace?: string;
  /** Whether an object is visible; left out: all are. */
  readonly shows?: (object: ApiObject) => boolean;
  /** Why an object is not visible, for the error message. */
  readonly invisibleReason?: (object: ApiObject) => string;
  /** Visible, but shared with other views. */
  readonly isReadOnly?: boolean;
  /** Adds what makes a new object part of this view, unless the object has it already. */
  readonly adopt?: (object: ApiObject) => ApiObject;
}
