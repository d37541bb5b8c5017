import { childPath, type FieldIssue, invalid, itemPath, tooLong } from "../field-issue.ts";
import type { ManagedFieldsEntry } from "../object-meta.ts";
import { utf8Length } from "../utf8-length.ts";

const managerLengthMax = 128;
const none: readonly never[] = [];

export function managedFieldsIssues(entries: readonly ManagedFieldsEntry[]): readonly FieldIssue[] {
  return entries.every(isValidEntry) ? none : entries.flatMap(managedFieldIssues);
}

function isValidEntry({ operation, fieldsType = "FieldsV1", manager = "" }: ManagedFieldsEntry): boolean {
  return (operation === "Apply" || operation === "Update") && fieldsType === "FieldsV1" && isManager(manager);
}

function managedFieldIssues(entry: ManagedFieldsEntry, index: number): readonly FieldIssue[] {
  const { operation, fieldsType = "FieldsV1", manager = "" } = entry;
  if (isValidEntry(entry)) return none;
  const isOperation = operation === "Apply" || operation === "Update";
  const path = itemPath("metadata.managedFields", index);
  return [
    ...(isOperation ? [] : [invalid(childPath(path, "operation"), operation ?? "", "must be `Apply` or `Update`")]),
    ...(fieldsType === "FieldsV1" ? [] : [invalid(childPath(path, "fieldsType"), fieldsType, "must be `FieldsV1`")]),
    ...managerIssues(manager, childPath(path, "manager")),
  ];
}

/** Field managers must be short and printable. */
export function managerIssues(manager: string, path: string): readonly FieldIssue[] {
  if (isManager(manager)) return none;
  const long = utf8Length(manager) > managerLengthMax ? [tooLong(path, managerLengthMax)] : [];
  const unprintable = [...manager.matchAll(/[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu)].map(({ 0: character, index }) => {
    const code = (character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, "0");
    return invalid(path, manager, `invalid character U+${code} (at position ${index})`);
  });
  return [...long, ...unprintable];
}

function isManager(manager: string): boolean {
  return manager.length <= managerLengthMax && /^[ -~]*$/.test(manager);
}
