import { builtinKind } from "../builtin-kind.ts";
import { plainColumns } from "../columns.ts";
import { fillLimits, type LimitRange, limitRangeIssues } from "./limit-range-rules.ts";

export const limitRange = builtinKind<LimitRange>({
  struct: "core.v1.LimitRange",
  group: "",
  plural: "limitranges",
  shortNames: ["limits"],
  scope: "Namespaced",
  createsOnUpdate: true,
  columns: plainColumns,
  defaults: fillLimits,
  validate: limitRangeIssues,
});
