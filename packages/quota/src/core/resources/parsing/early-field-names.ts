import { type FieldIssue, forbidden } from "@milo-quota/kubernetes/protocol/field-issue.ts";

/**
 * Field names of the first proposal of this API, by kind and path, and what replaces them. No schema has them, so that
 * `kubectl explain` and clients do not show them.
 */
const replacements: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ResourceRegistration: {
    "spec.ownerRef": "consumerType for the kind that uses the quota, and claimingResources for the kinds that claim it",
    "spec.resourceTypeName": "resourceType",
  },
  ResourceGrant: {
    "spec.ownerRef": "consumerRef",
    "spec.allowances[].resourceTypeName": "resourceType",
    "spec.allowances[].amount": "buckets[].amount",
    "spec.allowances[].dimensionSelector": "buckets[].dimensionSelector",
  },
  ResourceClaim: {
    "spec.ownerRef": "consumerRef",
    "spec.requests[].resourceTypeName": "resourceType",
  },
  AllowanceBucket: { "spec.ownerRef": "consumerRef", "spec.resourceTypeName": "resourceType" },
  EffectiveResourceGrant: { "spec.ownerRef": "consumerRef", "spec.resourceTypeName": "resourceType" },
};

/** Tells what to write instead of an early field name; undefined for any other field. */
export function earlyNameHint(kind: string, field: string): string | undefined {
  const ofKind = Object.hasOwn(replacements, kind) ? replacements[kind] : undefined;
  const path = field.replace(/\[\d+\]/g, "[]");
  return ofKind !== undefined && Object.hasOwn(ofKind, path) ? `use ${ofKind[path]} instead` : undefined;
}

/** Undefined for a field that is no early name. */
export function earlyNameIssue(kind: string, field: string): FieldIssue | undefined {
  const hint = earlyNameHint(kind, field);
  return hint === undefined ? undefined : forbidden(field, `unknown field; ${hint}`);
}
