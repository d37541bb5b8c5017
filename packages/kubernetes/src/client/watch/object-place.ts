/** Which object, of whatever kind an informer is about. */
export interface ObjectPlace {
  readonly plane: string;
  /** Empty for objects that are in none. */
  readonly namespace: string;
  readonly name: string;
}
