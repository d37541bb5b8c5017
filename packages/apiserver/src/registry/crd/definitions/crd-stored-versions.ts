import { type FieldIssue, invalid } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import type { Definition } from "./definition.ts";

const field = "status.storedVersions";

/** A version cannot be removed while it is in status.storedVersions. */
export function storedVersionIssues({ storedVersions, versions }: Definition): readonly FieldIssue[] {
  if (storedVersions.length === 0) return [invalid(field, null, "must have at least one stored version")];
  const names = new Set(versions.map(({ name }) => name));
  // A version is removed from the list once it is matched: of two with the same name, the second is unlisted.
  const unlisted = versions.filter(
    ({ name, storage }, index) =>
      storage && (!storedVersions.includes(name) || versions.findIndex((version) => version.name === name) < index),
  );
  return [
    ...unlisted.map(({ name }) => invalid(field, storedVersions, `must have the storage version ${name}`)),
    ...storedVersions.flatMap((name, index) => (names.has(name) ? [] : [missing(name, index)])),
  ];
}

function missing(name: string, index: number): FieldIssue {
  const fault = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
  return invalid(`${field}[${index}]`, name, fault);
}
