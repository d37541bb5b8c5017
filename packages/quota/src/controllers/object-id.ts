import type { PlaneObjectKey } from "@milo-quota/kubernetes/client/watch/plane-object-key.ts";

/** A string for maps and work queues. No part of a key contains a line feed, so distinct keys have distinct IDs. */
export function objectId({ plane, namespace, name }: PlaneObjectKey): string {
  return `${plane}\n${namespace}\n${name}`;
}
