/** Where an object is stored. Planes share nothing: the same name in two planes is two objects. */
export interface ObjectKey {
  readonly plane: string;
  /** The plural with its group: `configmaps`, `projects.resourcemanager.miloapis.com`. Versions share one. */
  readonly resource: string;
  /** Empty for objects of cluster scope. */
  readonly namespace: string;
  readonly name: string;
}

/** A set of objects to list or watch. */
export interface Scope {
  /** Undefined: in all planes, for callers that are trusted with them. */
  readonly plane?: string;
  readonly resource: string;
  /** Undefined: in all namespaces. */
  readonly namespace?: string;
}
