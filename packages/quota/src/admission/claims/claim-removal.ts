import type { ResourceClient } from "@milo-quota/kubernetes/client/resources/resource-client.ts";
import type { ObjectRef } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import type { ResourceClaim } from "../../core/resources/resource-claim.ts";
import { claimFinalizer } from "../../core/resources/well-known.ts";

/**
 * Deletes a claim that no object needs, and removes our finalizer. Writes are preconditioned on the version that was read.
 * Returns the finalizers of other controllers, which still block the deletion.
 */
export async function removeClaim(
  claims: ResourceClient<ResourceClaim>,
  ref: ObjectRef,
  { metadata }: ResourceClaim,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { uid = "", resourceVersion = "", finalizers = [], deletionTimestamp } = metadata;
  const others = finalizers.filter((name) => name !== claimFinalizer);
  const hasOurs = others.length < finalizers.length;
  const body = { metadata: { uid, resourceVersion, finalizers: others } };
  const released = hasOurs ? await claims.patch(ref, { type: "merge", body }, {}, signal) : undefined;
  // A terminating claim is deleted with its last finalizer.
  if (deletionTimestamp !== undefined) return others;
  const version = released?.metadata.resourceVersion ?? resourceVersion;
  await claims.delete(ref, { uid, resourceVersion: version }, signal);
  return others;
}
