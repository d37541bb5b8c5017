import type { ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import type { KubernetesObject } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { AdmissionBook } from "../invariants/admission-book.ts";
import type { Host } from "../world/world.ts";
import { attempt, clientOf, insist, reasonOf, signal, waitFor } from "./clients.ts";
import { metadataOf } from "./operator.ts";

/** An object that a client wants. */
export interface WantedObject {
  readonly plane: string;
  readonly type: ResourceType;
  readonly object: KubernetesObject;
}

/** Posts an object so many times, one after the other, as long as nobody says yes or no. */
export async function create(host: Host, { plane, type, object }: WantedObject, triesMax: number): Promise<void> {
  for (let tried = 1; tried <= triesMax; tried += 1) {
    try {
      await clientOf(host, plane, type).create(object, {}, signal);
      return;
    } catch (error) {
      if (["AlreadyExists", "Forbidden", "Invalid"].includes(reasonOf(error))) return;
    }
    await waitFor(host, host.random.between(20, 3_000));
  }
}

/** Posts the same object several times at once. */
export function createAtOnce(host: Host, wanted: WantedObject, times: number): void {
  for (let at = 0; at < times; at += 1) attempt(host, "create", () => create(host, wanted, 1));
}

/** Deletes an object by its name; some wait for somebody to let them go. */
export function destroy(host: Host, { plane, type, object }: WantedObject): Promise<void> {
  const client = clientOf(host, plane, type);
  const { name = "", namespace } = object.metadata;
  const ref = { name, ...(namespace === undefined ? {} : { namespace }) };
  return insist(host, async () => {
    await client.delete(ref, {}, signal).catch((error: unknown) => {
      if (reasonOf(error) !== "NotFound") throw error;
    });
  });
}

/** Lets an object go that waits for it. */
export function letGo(host: Host, { plane, type, object }: WantedObject): Promise<void> {
  const client = clientOf(host, plane, type);
  const { name = "", namespace } = object.metadata;
  const ref = { name, ...(namespace === undefined ? {} : { namespace }) };
  return insist(host, async () => {
    const found = await client.find(ref, signal);
    if (found === undefined || metadataOf(found).finalizers === undefined) return;
    const body = { metadata: { finalizers: null, resourceVersion: metadataOf(found).resourceVersion } };
    await client.patch(ref, { type: "merge", body }, {}, signal).catch((error: unknown) => {
      if (reasonOf(error) !== "NotFound") throw error;
    });
  });
}

/** Deletes and makes it anew under the same name, at once. */
export async function replace(host: Host, wanted: WantedObject): Promise<void> {
  await destroy(host, wanted);
  await create(host, wanted, 3);
}

/** Changes the labels that policies go by, past every door: to others, or to none. */
export function relabel(
  host: Host,
  { plane, type, object }: WantedObject,
  labels: Readonly<Record<string, string>> | null,
  book: AdmissionBook,
): Promise<void> {
  const client = clientOf(host, plane, type);
  const { name = "", namespace } = object.metadata;
  const ref = { name, ...(namespace === undefined ? {} : { namespace }) };
  return insist(host, async () => {
    const found = await client.find(ref, signal);
    if (found === undefined) return;
    const { uid = "", resourceVersion } = metadataOf(found);
    book.edited(uid);
    await client.patch(ref, { type: "merge", body: { metadata: { labels, resourceVersion } } }, {}, signal);
  });
}
