import { type FieldIssue, invalid, type Parsed } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { sentMetadataIssues } from "@milo-quota/kubernetes/protocol/metadata/metadata-rules.ts";
import { dnsSubdomain } from "@milo-quota/kubernetes/protocol/names.ts";
import type { ObjectMeta } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { allowanceBucketDefinition, parseAllowanceBucket } from "../core/resources/allowance-bucket.ts";
import {
  type ClaimCreationPolicy,
  claimCreationPolicyDefinition,
  parseClaimCreationPolicy,
} from "../core/resources/claim-creation-policy.ts";
import {
  effectiveResourceGrantDefinition,
  parseEffectiveResourceGrant,
} from "../core/resources/effective-resource-grant.ts";
import {
  type GrantCreationPolicy,
  grantCreationPolicyDefinition,
  parseGrantCreationPolicy,
} from "../core/resources/grant-creation-policy.ts";
import { type Accept, acceptKind } from "../core/resources/parsing/parse-kind.ts";
import { parseResourceClaim, type ResourceClaim, resourceClaimDefinition } from "../core/resources/resource-claim.ts";
import { parseResourceGrant, type ResourceGrant, resourceGrantDefinition } from "../core/resources/resource-grant.ts";
import {
  parseResourceRegistration,
  type ResourceRegistration,
  resourceRegistrationDefinition,
} from "../core/resources/resource-registration.ts";
import { quotaGroup } from "../core/resources/well-known.ts";

/** An object of the quota API, parsed from a manifest. */
export type QuotaObject =
  | { readonly kind: "ResourceRegistration"; readonly value: ResourceRegistration }
  | { readonly kind: "ResourceGrant"; readonly value: ResourceGrant }
  | { readonly kind: "ResourceClaim"; readonly value: ResourceClaim }
  | { readonly kind: "GrantCreationPolicy"; readonly value: GrantCreationPolicy }
  | { readonly kind: "ClaimCreationPolicy"; readonly value: ClaimCreationPolicy }
  /** Written by the quota system alone; only their metadata is checked. */
  | { readonly kind: "AllowanceBucket" | "EffectiveResourceGrant"; readonly value: { readonly metadata: ObjectMeta } };

/** The parsed object, unless it is invalid, and all its issues. */
export interface ReadObject {
  readonly object: QuotaObject | undefined;
  readonly issues: readonly FieldIssue[];
}

interface KindReader {
  readonly accept: Accept<object>;
  readonly scope: "Namespaced" | "Cluster";
  parse(value: JsonObject): Parsed<QuotaObject>;
}

const readers: Readonly<Record<string, KindReader>> = {
  ResourceRegistration: reader("ResourceRegistration", resourceRegistrationDefinition, parseResourceRegistration),
  ResourceGrant: reader("ResourceGrant", resourceGrantDefinition, parseResourceGrant),
  ResourceClaim: reader("ResourceClaim", resourceClaimDefinition, parseResourceClaim),
  GrantCreationPolicy: reader("GrantCreationPolicy", grantCreationPolicyDefinition, parseGrantCreationPolicy),
  ClaimCreationPolicy: reader("ClaimCreationPolicy", claimCreationPolicyDefinition, parseClaimCreationPolicy),
  AllowanceBucket: reader("AllowanceBucket", allowanceBucketDefinition, parseAllowanceBucket),
  EffectiveResourceGrant: reader(
    "EffectiveResourceGrant",
    effectiveResourceGrantDefinition,
    parseEffectiveResourceGrant,
  ),
};

/** Whether an object is intended for the quota API, even if its apiVersion is missing or misspelled as apiGroup. */
export function isQuotaObject(object: JsonObject): boolean {
  const groups = [object["apiVersion"], object["apiGroup"]].map((text) => String(text).split("/")[0]);
  const hasQuotaKind = object["apiVersion"] === undefined && Object.hasOwn(readers, String(object["kind"]));
  return hasQuotaKind || groups.includes(quotaGroup);
}

export function readQuotaObject(object: JsonObject): ReadObject {
  const kind = String(object["kind"] ?? "");
  const found = Object.hasOwn(readers, kind) ? readers[kind] : undefined;
  if (found === undefined) {
    const detail = `not a kind of ${quotaGroup}, which has ${Object.keys(readers).join(", ")}`;
    return { object: undefined, issues: [invalid("kind", kind, detail)] };
  }
  const { unknownFields } = found.accept(object);
  const parsed = found.parse(object);
  const unknown = unknownFields.map(unknownField);
  if (!parsed.ok) return { object: undefined, issues: [...parsed.issues, ...unknown] };
  const ofKind = { group: quotaGroup, isCustom: true, scope: found.scope, nameRule: dnsSubdomain };
  const metadata = sentMetadataIssues(parsed.value.value.metadata, ofKind);
  return { object: parsed.value, issues: [...metadata, ...unknown] };
}

function unknownField(field: string): FieldIssue {
  return { type: "FieldValueForbidden", field, message: "Forbidden: unknown field" };
}

function reader<Kind extends QuotaObject["kind"], Value>(
  kind: Kind,
  definition: Parameters<typeof acceptKind>[0],
  parse: (value: unknown) => Parsed<Value>,
): KindReader {
  return {
    accept: acceptKind(definition) as Accept<object>,
    scope: definition.scope,
    parse: (object) => {
      const parsed = parse(object);
      return parsed.ok ? { ok: true, value: { kind, value: parsed.value } as unknown as QuotaObject } : parsed;
    },
  };
}
