import { claimManifest, type RenderedClaim } from "../src/core/policy/claim-policy.ts";
import { amountOf } from "../src/core/resources/fields/amount.ts";
import { parseResourceClaim, type ResourceClaim } from "../src/core/resources/resource-claim.ts";
import { annotations } from "../src/core/resources/well-known.ts";

/** A claim rendered for the object `a`. */
export function renderedClaim(over: Partial<RenderedClaim> = {}): RenderedClaim {
  return {
    name: "claim",
    namespace: "default",
    labels: {},
    annotations: { [annotations.createdBy]: "claim-creation-plugin", [annotations.policy]: "maps" },
    consumer: { apiGroup: "", kind: "Namespace", namespace: "", name: "default" },
    requests: [request("core/configmaps", 1)],
    resource: { apiGroup: "", kind: "ConfigMap", namespace: "default", name: "a" },
    ...over,
  };
}

export function request(resourceType: string, amount: number) {
  return { resourceType, amount: amountOf(amount), dimensions: {}, dimensionKey: "" };
}

export type State = "pending" | "granted" | "denied" | "invalid";

const conditions = {
  pending: { status: "False", reason: "PendingEvaluation" },
  granted: { status: "True", reason: "QuotaAvailable" },
  denied: { status: "False", reason: "QuotaExceeded" },
  invalid: { status: "False", reason: "ValidationFailed" },
} as const;

export interface ClaimParts {
  readonly uid?: string;
  readonly version?: number;
  readonly state?: State;
  readonly candidates?: string;
  readonly bound?: string;
  readonly owners?: readonly string[];
  readonly deleting?: boolean;
  readonly rendered?: RenderedClaim;
  readonly allocations?: readonly object[];
}

const lastTransitionTime = "2026-01-01T00:00:00Z";

/** A claim as an API server returns it. */
export function storedClaim(parts: ClaimParts = {}): ResourceClaim {
  const { uid = "claim-1", version = 10, state = "pending", candidates = "", bound, deleting = false } = parts;
  const ownerReferences = (parts.owners ?? []).map((owner) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    name: "a",
    uid: owner,
  }));
  const manifest = claimManifest(parts.rendered ?? renderedClaim()) as unknown as {
    metadata: { annotations: Record<string, string> };
  };
  const noted = {
    ...manifest.metadata.annotations,
    ...(candidates === "" ? {} : { [annotations.candidates]: candidates }),
    ...(bound === undefined ? {} : { [annotations.bound]: bound }),
  };
  const parsed = parseResourceClaim({
    ...manifest,
    metadata: {
      ...manifest.metadata,
      uid,
      resourceVersion: String(version),
      annotations: noted,
      ownerReferences,
      ...(deleting ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {}),
    },
    status: {
      conditions: [
        {
          type: "Granted",
          ...conditions[state],
          message: `it is ${state}`,
          lastTransitionTime,
        },
      ],
      ...(parts.allocations === undefined
        ? {}
        : { allocations: parts.allocations.map((each) => ({ ...each, lastTransitionTime })) }),
    },
  });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return parsed.value;
}
