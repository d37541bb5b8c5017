import type { ApiObject } from "./api-object.ts";
import type { ServedKind } from "./served-kind.ts";

/** A part of a plane that has a path of its own: requests by that path see nothing outside of it. */
export interface ScopedView {
  /** What authorizers know it by. */
  readonly name: string;
  of(kind: Pick<ServedKind, "group" | "kind" | "plural" | "scope">): KindView;
  /** Whether it still is what it was when the request came; once it is not, watches by its path send no more events. */
  readonly isCurrent?: () => boolean;
}

/** What of a kind is in a view. */
export interface KindView {
  /** The only namespace that is in view; left out for kinds of cluster scope. */
  readonly namespace?: string;
  /** Whether an object is in view; left out: all of them are. */
  readonly shows?: (object: ApiObject) => boolean;
  /** Why an object is out of view, for the error message. */
  readonly outOfView?: (object: ApiObject) => string;
  /** What is shown to be read, and belongs to more than this view. */
  readonly isReadOnly?: boolean;
  /** An object that is made here, with what makes it one of this view, unless it says otherwise itself. */
  readonly adopt?: (object: ApiObject) => ApiObject;
}
