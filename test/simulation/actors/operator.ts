import type { ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { KubernetesObject, ObjectMeta } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { Host } from "../world/world.ts";
import { clientOf, insist, reasonOf, signal } from "./clients.ts";

/** Where an operator keeps something. */
export interface Place {
  readonly plane: string;
  readonly type: ResourceType;
}

/** Makes an object as it shall be, whether it is there or not. */
export function apply(
  host: Host,
  { plane, type }: Place,
  wanted: KubernetesObject & { readonly spec?: object },
): Promise<void> {
  const client = clientOf(host, plane, type);
  return insist(host, async () => {
    const found = await client.find(refOf(wanted), signal);
    if (found === undefined) await client.create(wanted, {}, signal);
    else await client.update({ ...wanted, metadata: metadataOf(found) }, {}, signal);
  });
}

/** Removes an object; one that is not there is as good as removed. */
export function remove(host: Host, { plane, type }: Place, named: KubernetesObject): Promise<void> {
  const client = clientOf(host, plane, type);
  return insist(host, async () => {
    await client.delete(refOf(named), {}, signal).catch((error: unknown) => {
      if (reasonOf(error) !== "NotFound") throw error;
    });
  });
}

export function metadataOf(object: JsonObject): ObjectMeta {
  return object["metadata"] as unknown as ObjectMeta;
}

function refOf({ metadata: { name = "", namespace } }: KubernetesObject): { name: string; namespace?: string } {
  return { name, ...(namespace === undefined ? {} : { namespace }) };
}
