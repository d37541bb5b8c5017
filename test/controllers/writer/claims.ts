import { claimsType } from "../../../src/controllers/quota-types.ts";
import type { OpenClaim } from "../../../src/core/ledger/page.ts";
import type { Decision } from "../../../src/core/ledger/settle.ts";
import type { QuotaWorld } from "../grants/quota-world.ts";
import { organization } from "../grants/quota-world.ts";

export type Reserve = Extract<Decision, { readonly outcome: "reserve" }>;

/** A decision to promise a claim one of each of these types. */
export function reserve(uid: string, ...types: string[]): Reserve {
  const parts = types.map((resourceType) => ({ resourceType, dimensionKey: "", amount: 1n }));
  const open = { claim: { uid }, parts } as unknown as OpenClaim;
  return { outcome: "reserve", claim: open, set: `set of ${uid}` } as Reserve;
}

type Json = Record<string, unknown>;

export interface AskedPart {
  readonly resourceType?: string;
  readonly amount?: number;
  readonly dimensions?: Record<string, string>;
  readonly dimensionKey?: string;
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
