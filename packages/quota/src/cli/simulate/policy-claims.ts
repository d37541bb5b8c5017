import { rootPlane } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import type { PlaneAddress, ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import { findCondition } from "@milo-quota/kubernetes/protocol/condition.ts";
import { isJsonObject, type JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { parseApiVersion } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import {
  type ClaimInput,
  type CompiledClaimPolicy,
  compileClaimPolicy,
  type RenderedClaim,
} from "../../core/policy/claim-policy.ts";
import type { RequestUser } from "../../core/policy/policy-variables.ts";
import type { ClaimCreationPolicy } from "../../core/resources/claim-creation-policy.ts";
import { sameGroupKind } from "../../core/resources/fields/consumer-ref.ts";
import { bucketNamespace } from "../../core/resources/object-names.ts";
import { planeOfConsumer, tenantOf } from "../cluster/tenant-addresses.ts";

/** An object to create, with the request that would create it. */
export interface PlannedObject {
  readonly object: JsonObject;
  readonly type: ResourceType;
  readonly plane: PlaneAddress;
  readonly user: RequestUser;
  /** The generateName, if the server generates the name; the object then has a placeholder name. */
  readonly namePrefix?: string;
}

/** The claims that policies render for an object. */
export interface PolicyClaims {
  readonly claims: readonly { readonly policy: string; readonly shadow: boolean; readonly claim: RenderedClaim }[];
  /** The errors of policies that fail to evaluate for the object. */
  readonly problems: readonly string[];
}

/** The enabled and ready policies, compiled. */
export class ActivePolicies {
  readonly #policies: readonly { readonly policy: ClaimCreationPolicy; readonly compiled: CompiledClaimPolicy }[];

  constructor(policies: readonly ClaimCreationPolicy[]) {
    this.#policies = policies.filter(isReady).flatMap((policy) => {
      const compiled = compileClaimPolicy(policy);
      return compiled.ok ? [{ policy, compiled: compiled.policy }] : [];
    });
  }

  claimsFor(planned: PlannedObject, now: string): PolicyClaims {
    const { object, type } = planned;
    const kind = { apiGroup: type.group, kind: String(object["kind"] ?? "") };
    const input = inputOf(planned, now);
    const claims: PolicyClaims["claims"][number][] = [];
    const problems: string[] = [];
    for (const { policy, compiled } of this.#policies) {
      const { group } = parseApiVersion(policy.trigger.apiVersion);
      if (!sameGroupKind({ apiGroup: group, kind: policy.trigger.kind }, kind)) continue;
      const rendering = compiled.evaluate(input);
      if (rendering.outcome === "claim") {
        claims.push({ policy: compiled.name, shadow: policy.mode === "Shadow", claim: rendering.claim });
      }
      if (rendering.outcome === "failed") problems.push(rendering.message);
    }
    return { claims, problems };
  }
}

function isReady({ enabled, status }: Pick<ClaimCreationPolicy, "enabled" | "status">): boolean {
  return enabled && findCondition(status.conditions, "Ready")?.status === "True";
}

function inputOf({ object, type, plane, user }: PlannedObject, now: string): ClaimInput {
  const metadata = isJsonObject(object["metadata"]) ? object["metadata"] : {};
  const text = (field: string): string => String(metadata[field] ?? "");
  return {
    trigger: object,
    user,
    requestInfo: {
      verb: "create",
      apiGroup: type.group,
      apiVersion: type.version,
      resource: type.plural,
      subresource: "",
      namespace: text("namespace"),
      name: text("name"),
    },
    plane: plane.plane === rootPlane.plane ? "" : plane.plane,
    tenantOf: (created) => tenantOf(plane, created),
    bucketNamespace: (consumer) => bucketNamespace(consumer, () => true),
    isElsewhere: (consumer) => planeOfConsumer(consumer, plane).plane !== plane.plane,
    now,
  };
}
