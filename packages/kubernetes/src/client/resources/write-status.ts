import { type JsonValue, jsonEquals } from "../../protocol/json-value.ts";
import type { KubernetesObject, ObjectMeta } from "../../protocol/object-meta.ts";
import type { ResourceClient } from "./resource-client.ts";

/** A status as it was read, and as it should be. */
export interface StatusChange {
  readonly before: object | undefined;
  readonly after: object;
}

/**
 * Writes a status if it is another than was read, and gives the object as it is then; nothing to change, nothing written.
 * Goes by the version that was read: rejects with a conflict if anybody has written since. Servers take everything but
 * the status from what they have, so no more than that is sent.
 */
export async function writeStatus<Kind>(
  client: ResourceClient<Kind>,
  { apiVersion, kind, metadata }: KubernetesObject,
  { before, after }: StatusChange,
  signal: AbortSignal,
): Promise<Kind | undefined> {
  if (before !== undefined && jsonEquals(before as JsonValue, after as JsonValue)) return undefined;
  const object = { apiVersion, kind, metadata: identityOf(metadata), status: after };
  return client.updateStatus(object, {}, signal);
}

function identityOf({ name, namespace, uid, resourceVersion }: ObjectMeta): ObjectMeta {
  if (name === undefined || uid === undefined || resourceVersion === undefined) {
    throw new TypeError("a status is written to an object that was read: with a name, a uid and a resourceVersion");
  }
  return { name, ...(namespace === undefined ? {} : { namespace }), uid, resourceVersion };
}
