import type { KubeClient } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import type { ClaimCreationPolicy } from "../../core/resources/claim-creation-policy.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { readTargetAndRoot } from "../cluster/each-plane.ts";
import { QuotaObjects } from "../cluster/quota-objects.ts";

export interface ScopedPolicies {
  readonly policies: readonly ClaimCreationPolicy[];
  /** False if the user lacks permission to read the policies of the root. */
  readonly isComplete: boolean;
}

/** Reads the claim policies of the target and of the root, which apply to all control planes. */
export async function policiesInScope(cluster: Cluster, signal: AbortSignal): Promise<ScopedPolicies> {
  const read = (plane: KubeClient) => new QuotaObjects(plane, cluster.printErr, signal).claimPolicies();
  const lists = await readTargetAndRoot(cluster, read);
  return { policies: lists.flat(), isComplete: cluster.target === cluster.root || lists.length > 1 };
}
