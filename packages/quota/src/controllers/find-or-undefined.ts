import type { ResourceClient } from "@milo-quota/kubernetes/client/resources/resource-client.ts";
import type { ObjectRef } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";

/** Treats every 404 as not found, also if the kind or the control plane does not exist. */
export async function findOrUndefined<Kind>(
  client: ResourceClient<Kind>,
  ref: ObjectRef,
  signal: AbortSignal,
): Promise<Kind | undefined> {
  try {
    return await client.find(ref, signal);
  } catch (error) {
    if (error instanceof StatusError && error.status.code === 404) return undefined;
    throw error;
  }
}
