import { builtinKind } from "../builtin-kind.ts";
import { plainColumns } from "../columns.ts";

/** Names, schema and columns only; its validation is in definitionRules. */
export const customResourceDefinition = builtinKind({
  struct: "apiextensions.v1.CustomResourceDefinition",
  group: "apiextensions.k8s.io",
  plural: "customresourcedefinitions",
  shortNames: ["crd", "crds"],
  categories: ["api-extensions"],
  scope: "Cluster",
  hasStatus: true,
  hasGeneration: true,
  updatesUnconditionally: false,
  columns: plainColumns,
});
