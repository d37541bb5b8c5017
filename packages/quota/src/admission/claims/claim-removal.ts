import type { ResourceClient } from "@milo-quota/kubernetes/client/resources/resource-client.ts";
import type { ObjectRef } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import type { ResourceClaim } from "../../core/resources/resource-claim.ts";
import { claimFinalizer } from "../../core/resources/well-known.ts";

/**
 * Deletes a claim that no object needs, and takes away the finalizer that would keep it. Everything is on the version that
 * was read. Returns the finalizers of others, which keep the claim until they let it go.
 */
export async function removeClaim(
  claims: ResourceClient<ResourceClaim>,
  ref: ObjectRef,
  { metadata }: ResourceClaim,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { uid = "", resourceVersion = "", finalizers = [], deletionTimestamp } = metadata;
  const others = finalizers.filter((name) => name !== claimFinalizer);
  const isKept = others.length < finalizers.length;
  const body = { metadata: { uid, resourceVersion, finalizers: others } };
  const released = isKept ? await claims.patch(ref, { type: "merge", body }, {}, signal) : undefined;
  // One that is being deleted goes with its last finalizer.
  if (deletionTimestamp !== undefined) return others;
  const version = released?.metadata.resourceVersion ?? resourceVersion;
  await claims.delete(ref, { uid, resourceVersion: version }, signal);
  return others;
}
