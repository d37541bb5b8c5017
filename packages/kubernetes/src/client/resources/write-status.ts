import { type JsonValue, jsonEquals } from "../../protocol/json-value.ts";
import type { KubernetesObject, ObjectMeta } from "../../protocol/object-meta.ts";
import type { ResourceClient } from "./resource-client.ts";

/** The status that was read, and the new one. */
export interface StatusChange {
  readonly before: object | undefined;
  readonly after: object;
}

/**
 * Writes a status if it differs from the one that was read; returns the written object, or undefined if nothing
 * changed. Uses the version that was read: rejects with a conflict if it is outdated. Servers ignore everything but the
 * status, so nothing else is sent.
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
    throw new TypeError("writing a status requires the object as read, with name, uid and resourceVersion");
  }
  return { name, ...(namespace === undefined ? {} : { namespace }), uid, resourceVersion };
}
