import { builtinKind } from "../builtin-kind.ts";
import { ageColumn, nameColumn, textColumn, typed } from "../columns.ts";
import { type ResourceQuota, resourceQuotaIssues } from "./resource-quota-rules.ts";

export const resourceQuota = builtinKind<ResourceQuota>({
  struct: "core.v1.ResourceQuota",
  group: "",
  plural: "resourcequotas",
  shortNames: ["quota"],
  scope: "Namespaced",
  hasStatus: true,
  returnsDeleted: true,
  columns: [
    nameColumn,
    textColumn(
      "Request",
      typed<ResourceQuota>((quota) => usage(quota, (name) => !isLimit(name))),
    ),
    textColumn(
      "Limit",
      typed<ResourceQuota>((quota) => usage(quota, isLimit)),
    ),
    ageColumn,
  ],
  validate: resourceQuotaIssues,
});

function isLimit(resource: string): boolean {
  return resource.startsWith("limits.");
}

function usage({ status: { hard = {}, used = {} } }: ResourceQuota, isShown: (resource: string) => boolean): string {
  const names = Object.keys(hard).filter(isShown).sort();
  return names.map((name) => `${name}: ${used[name] ?? "0"}/${hard[name]}`).join(", ");
}
