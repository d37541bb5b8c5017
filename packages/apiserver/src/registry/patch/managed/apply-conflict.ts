import { type ApiStatus, failure } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { quote } from "@milo-quota/kubernetes/protocol/go-quote.ts";
import { pathString, pathsOf } from "../fields/field-set.ts";
import { compareFieldText } from "../fields/value-order.ts";
import { type Owner, ownerIdentity } from "./owner.ts";
import type { Conflict } from "./update-owners.ts";

/** The response to an apply with conflicts. */
export function conflictStatus(conflicts: readonly Conflict[]): ApiStatus {
  const ordered = [...conflicts].sort((left, right) =>
    compareFieldText(ownerIdentity(left.owner), ownerIdentity(right.owner)),
  );
  const paths = ordered.map(({ owner, fields }) => ({
    who: ownerText(owner),
    fields: pathsOf(fields).map(pathString),
  }));
  const causes = paths.flatMap(({ who, fields }) =>
    fields.map((field) => ({ reason: "FieldManagerConflict", message: `conflict with ${who}`, field })),
  );
  return failure("Conflict", `Apply failed with ${messageOf(paths)}`, { causes });
}

interface ConflictText {
  readonly who: string;
  readonly fields: readonly string[];
}

function messageOf(conflicts: readonly ConflictText[]): string {
  const count = conflicts.reduce((sum, { fields }) => sum + fields.length, 0);
  const [first] = conflicts;
  if (count === 1) return `1 conflict: conflict with ${first?.who}: ${first?.fields[0]}`;
  const lines = conflicts.flatMap(({ who, fields }) => [
    `conflicts with ${who}:`,
    ...fields.map((field) => `- ${field}`),
  ]);
  return `${count} conflicts: ${lines.join("\n")}`;
}

function ownerText({ manager, operation, apiVersion, subresource }: Owner): string {
  const through = subresource === "" ? "" : ` with subresource ${quote(subresource)}`;
  const version = operation === "Update" ? ` using ${apiVersion}` : "";
  return `${quote(manager)}${through}${version}`;
}
