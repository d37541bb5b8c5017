import type { ResourceClient } from "../kube/client/resource-client.ts";
import type { ObjectRef } from "../kube/client/resource-type.ts";
import { StatusError } from "../protocol/api-status.ts";

/** Undefined when there is no such object, whether its kind and its plane are there or not. */
export async function findIfAny<Kind>(
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
