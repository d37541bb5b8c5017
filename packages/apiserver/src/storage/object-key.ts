/** Identifies a stored object. Planes are isolated: the same name in two planes is two objects. */
export interface ObjectKey {
  readonly plane: string;
  /** The plural with its group: `configmaps`, `projects.resourcemanager.miloapis.com`. All versions share it. */
  readonly resource: string;
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
}

/** A set of objects to list or watch. */
export interface Scope {
  /** Undefined: in all planes, for trusted callers. */
  readonly plane?: string;
  readonly resource: string;
  /** Undefined: in all namespaces. */
  readonly namespace?: string;
}
