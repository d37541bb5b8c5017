/** Identifies an object of one kind, across planes. */
export interface PlaneObjectKey {
  readonly plane: string;
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
}
