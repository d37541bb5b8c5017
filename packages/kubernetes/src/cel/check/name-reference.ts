import type { Value } from "../values/value.ts";

/** What a name turned out to mean. */
export type NameReference =
  | { readonly kind: "variable"; readonly name: string }
  | { readonly kind: "local"; readonly name: string }
  | { readonly kind: "constant"; readonly value: Value };
