import { claimsType } from "@milo-quota/quota/views/quota-types.ts";
import type { QuotaWorld } from "../grants/quota-world.ts";
import { organization } from "../grants/quota-world.ts";

type Json = Record<string, unknown>;

export interface AskedPart {
  readonly resourceType?: string;
  readonly amount?: number;
  readonly dimensions?: Record<string, string>;
}

/** A claim of Organization acme; for one project unless it says otherwise. */
export function claim(name: string, ...requests: readonly AskedPart[]): Json {
  const asked = requests.length === 0 ? [{}] : requests;
  return {
    apiVersion: "quota.miloapis.com/v1alpha1",
    kind: "ResourceClaim",
    metadata: { name, namespace: "default" },
    spec: {
      consumerRef: { ...organization, name: "acme" },
      requests: asked.map((part) => ({ resourceType: "projects", amount: 1, ...part })),
    },
  };
}

/** `True QuotaAvailable`: what a claim was told; undefined when it is not there. */
export async function answerTo(world: QuotaWorld, name: string, plane = "root"): Promise<string | undefined> {
  const found = await world.find(claimsType, name, { plane });
  const { conditions = [] } = (found?.["status"] ?? {}) as { conditions?: { status: string; reason: string }[] };
  return found && `${conditions[0]?.status} ${conditions[0]?.reason}`;
}
