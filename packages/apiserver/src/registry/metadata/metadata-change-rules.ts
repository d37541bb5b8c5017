import { type FieldIssue, forbidden, invalid } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { quote } from "@milo-quota/kubernetes/protocol/go-quote.ts";
import { type JsonValue, jsonEquals } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ObjectMeta } from "@milo-quota/kubernetes/protocol/object-meta.ts";

const immutable = "field is immutable";
const none: readonly never[] = [];

const fixed = [
  "name",
  "namespace",
  "uid",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
] as const;

/** Metadata changes that an update may not make. */
export function metadataChangeIssues(metadata: ObjectMeta, old: ObjectMeta): readonly FieldIssue[] {
  const isFine = old.deletionTimestamp === undefined && metadata.resourceVersion && areIdentical(metadata, old);
  if (isFine) return none;
  return [
    ...newFinalizerIssues(metadata, old),
    ...(metadata.resourceVersion ? [] : [invalid(at("resourceVersion"), "", "must be specified for an update")]),
    ...fixed
      .filter((field) => !jsonEquals((metadata[field] ?? null) as JsonValue, (old[field] ?? null) as JsonValue))
      .map((field) => invalid(at(field), metadata[field] ?? "", immutable)),
  ];
}

/** Fast check that immutable metadata is identical. */
function areIdentical(metadata: ObjectMeta, old: ObjectMeta): boolean {
  for (const field of fixed) if (metadata[field] !== old[field]) return false;
  return true;
}

function newFinalizerIssues({ finalizers = [] }: ObjectMeta, old: ObjectMeta): readonly FieldIssue[] {
  if (old.deletionTimestamp === undefined) return [];
  const added = [...new Set(finalizers)].filter((name) => !(old.finalizers ?? []).includes(name)).sort();
  if (added.length === 0) return [];
  const found = `[]string{${added.map(quote).join(", ")}}`;
  const fault = `no new finalizers can be added if the object is being deleted, found new finalizers ${found}`;
  return [forbidden(at("finalizers"), fault)];
}

function at(field: string): string {
  return `metadata.${field}`;
}
