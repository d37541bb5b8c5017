import type { Value } from "../values/value.ts";

/** The resolution of a name. */
export type NameReference =
  | { readonly kind: "variable"; readonly name: string }
  | { readonly kind: "local"; readonly name: string }
  | { readonly kind: "constant"; readonly value: Value };
