import type { ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { KubernetesObject, ObjectMeta } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { Host } from "../world/world.ts";
import { clientOf, failureReason, retry, signal } from "./clients.ts";

/** A resource type in a plane. */
export interface Collection {
  readonly plane: string;
  readonly type: ResourceType;
}

/** Creates or replaces an object. */
export function apply(
  host: Host,
  { plane, type }: Collection,
  wanted: KubernetesObject & { readonly spec?: object },
): Promise<void> {
  const client = clientOf(host, plane, type);
  return retry(host, async () => {
    const found = await client.find(refOf(wanted), signal);
    if (found === undefined) await client.create(wanted, {}, signal);
    else await client.update({ ...wanted, metadata: metadataOf(found) }, {}, signal);
  });
}

/** Deletes an object. A missing one is no error. */
export function remove(host: Host, { plane, type }: Collection, named: KubernetesObject): Promise<void> {
  const client = clientOf(host, plane, type);
  return retry(host, async () => {
    await client.delete(refOf(named), {}, signal).catch((error: unknown) => {
      if (failureReason(error) !== "NotFound") throw error;
    });
  });
}

export function metadataOf(object: JsonObject): ObjectMeta {
  return object["metadata"] as unknown as ObjectMeta;
}

function refOf({ metadata: { name = "", namespace } }: KubernetesObject): { name: string; namespace?: string } {
  return { name, ...(namespace === undefined ? {} : { namespace }) };
}
