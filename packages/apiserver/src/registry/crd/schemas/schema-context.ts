/** Properties that a schema inherits from its ancestors. */
export interface SchemaContext {
  readonly isRoot: boolean;
  /** Why a default is not allowed here; undefined where it is. */
  readonly noDefault: string | undefined;
  /** Whether inside apiVersion, kind or metadata of an object. */
  readonly isInsideMeta: boolean;
  /** The path of the nearest list above whose items do not correlate, so that rules have no old value. */
  readonly uncorrelatable: string | undefined;
  /** Whether expressions are compiled; not below junctors, and not in schemas that are not structural. */
  readonly compiles: boolean;
}

export const rootSchemaContext: Omit<SchemaContext, "compiles"> = {
  isRoot: true,
  noDefault: undefined,
  isInsideMeta: false,
  uncorrelatable: undefined,
};
