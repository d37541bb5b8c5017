import { builtinKind } from "../builtin-kind.ts";
import { plainColumns } from "../columns.ts";

/** The names, schema and columns; what a definition must look like is a matter of its own. */
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
