/** What a schema is told by those above it. */
export interface SchemaContext {
  readonly isRoot: boolean;
  /** Why there may be no default here; undefined where there may. */
  readonly noDefault: string | undefined;
  /** Whether inside apiVersion, kind or metadata of an object. */
  readonly isInsideMeta: boolean;
  /** The path of the nearest list above whose items cannot be told apart, so that no rule can know the old one. */
  readonly uncorrelatable: string | undefined;
  /** Whether expressions are compiled; not below junctors, and not when the schema is no structural one. */
  readonly compiles: boolean;
}

export const rootSchemaContext: Omit<SchemaContext, "compiles"> = {
  isRoot: true,
  noDefault: undefined,
  isInsideMeta: false,
  uncorrelatable: undefined,
};
