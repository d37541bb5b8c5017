import type { KubeClient } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import type { ClaimCreationPolicy } from "../../core/resources/claim-creation-policy.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { hereAndAtHome } from "../cluster/each-plane.ts";
import { QuotaObjects } from "../cluster/quota-objects.ts";

export interface PoliciesHere {
  readonly policies: readonly ClaimCreationPolicy[];
  /** Not all for whoever may not read those of the root. */
  readonly areAll: boolean;
}

/** Policies of the root are about all planes. */
export async function policiesHere(cluster: Cluster, signal: AbortSignal): Promise<PoliciesHere> {
  const read = (plane: KubeClient) => new QuotaObjects(plane, cluster.note, signal).claimPolicies();
  const lists = await hereAndAtHome(cluster, read);
  return { policies: lists.flat(), areAll: cluster.here === cluster.home || lists.length > 1 };
}
