import { claimsType } from "@milo-quota/quota/views/quota-types.ts";
import type { QuotaWorld } from "../grants/quota-world.ts";
import { organization } from "../grants/quota-world.ts";

type Json = Record<string, unknown>;

export interface RequestInput {
  readonly resourceType?: string;
  readonly amount?: number;
  readonly dimensions?: Record<string, string>;
}

/** A claim of Organization acme, by default for one project. */
export function claim(name: string, ...requests: readonly RequestInput[]): Json {
  const requested = requests.length === 0 ? [{}] : requests;
  return {
    apiVersion: "quota.miloapis.com/v1alpha1",
    kind: "ResourceClaim",
    metadata: { name, namespace: "default" },
    spec: {
      consumerRef: { ...organization, name: "acme" },
      requests: requested.map((part) => ({ resourceType: "projects", amount: 1, ...part })),
    },
  };
}

/** Status and reason of a claim's Granted condition, as `True QuotaAvailable`; undefined if it does not exist. */
export async function decisionOf(world: QuotaWorld, name: string, plane = "root"): Promise<string | undefined> {
  const found = await world.find(claimsType, name, { plane });
  const { conditions = [] } = (found?.["status"] ?? {}) as { conditions?: { status: string; reason: string }[] };
  return found && `${conditions[0]?.status} ${conditions[0]?.reason}`;
}
