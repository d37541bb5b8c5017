import { type ClaimCreationPolicy, parseClaimCreationPolicy } from "../core/resources/claim-creation-policy.ts";
import { type GrantCreationPolicy, parseGrantCreationPolicy } from "../core/resources/grant-creation-policy.ts";
import { quotaKinds } from "../core/resources/kinds.ts";
import { acceptKind } from "../core/resources/parse-kind.ts";
import { parseResourceClaim, type ResourceClaim } from "../core/resources/resource-claim.ts";
import { parseResourceGrant, type ResourceGrant } from "../core/resources/resource-grant.ts";
import { parseResourceRegistration, type ResourceRegistration } from "../core/resources/resource-registration.ts";
import { quotaGroup } from "../core/resources/well-known.ts";
import { type FieldIssue, invalid, type Parsed } from "../protocol/field-issue.ts";
import type { JsonObject } from "../protocol/json-value.ts";

/** An object of our API, read from a manifest. */
export type QuotaObject =
  | { readonly kind: "ResourceRegistration"; readonly value: ResourceRegistration }
  | { readonly kind: "ResourceGrant"; readonly value: ResourceGrant }
  | { readonly kind: "ResourceClaim"; readonly value: ResourceClaim }
  | { readonly kind: "GrantCreationPolicy"; readonly value: GrantCreationPolicy }
  | { readonly kind: "ClaimCreationPolicy"; readonly value: ClaimCreationPolicy }
  /** Kept by the quota system; there is nothing to say of them in a manifest. */
  | { readonly kind: "AllowanceBucket" | "EffectiveResourceGrant" };

/** Whether an object is meant for our API, by whichever field it says so. */
export function isQuotaObject(object: JsonObject): boolean {
  return [object["apiVersion"], object["apiGroup"]].some((text) => String(text).split("/")[0] === quotaGroup);
}

export function readQuotaObject(object: JsonObject): Parsed<QuotaObject> {
  const definition = quotaKinds.find((each) => each.kind === object["kind"]);
  if (definition === undefined) {
    const known = quotaKinds.map((each) => each.kind).join(", ");
    return {
      ok: false,
      issues: [invalid("kind", object["kind"] ?? "", `not a kind of ${quotaGroup}: there are ${known}`)],
    };
  }
  const accepted = acceptKind(definition)(object);
  if (!accepted.ok) return accepted;
  const unknown = accepted.value.unknownFields.map(unknownField);
  return unknown.length > 0 ? { ok: false, issues: unknown } : parseAs(definition.kind, object);
}

function unknownField(path: string): FieldIssue {
  return { type: "FieldValueForbidden", field: path, message: "Forbidden: unknown field" };
}

function parseAs(kind: string, object: JsonObject): Parsed<QuotaObject> {
  switch (kind) {
    case "ResourceRegistration":
      return as(kind, parseResourceRegistration(object));
    case "ResourceGrant":
      return as(kind, parseResourceGrant(object));
    case "ResourceClaim":
      return as(kind, parseResourceClaim(object));
    case "GrantCreationPolicy":
      return as(kind, parseGrantCreationPolicy(object));
    case "ClaimCreationPolicy":
      return as(kind, parseClaimCreationPolicy(object));
    default:
      return { ok: true, value: { kind: kind as "AllowanceBucket" | "EffectiveResourceGrant" } };
  }
}

function as<Kind extends string, Value>(
  kind: Kind,
  parsed: Parsed<Value>,
): Parsed<{ readonly kind: Kind; readonly value: Value }> {
  return parsed.ok ? { ok: true, value: { kind, value: parsed.value } } : parsed;
}
