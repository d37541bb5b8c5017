import type { ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import type { KubernetesObject } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { AdmissionHistory } from "../invariants/admission-history.ts";
import type { Host } from "../world/world.ts";
import { clientOf, failureReason, retry, runReportingFailure, signal, sleep } from "./clients.ts";
import { metadataOf } from "./operator-calls.ts";

/** An object that a client creates or deletes. */
export interface TargetObject {
  readonly plane: string;
  readonly type: ResourceType;
  readonly object: KubernetesObject;
}

/** Creates an object, with at most `triesMax` attempts, until the server accepts or rejects it. */
export async function create(host: Host, { plane, type, object }: TargetObject, triesMax: number): Promise<void> {
  for (let tried = 1; tried <= triesMax; tried += 1) {
    try {
      await clientOf(host, plane, type).create(object, {}, signal);
      return;
    } catch (error) {
      if (["AlreadyExists", "Forbidden", "Invalid"].includes(failureReason(error))) return;
    }
    await sleep(host, host.random.between(20, 3_000));
  }
}

/** Creates the same object several times concurrently. */
export function createConcurrently(host: Host, wanted: TargetObject, times: number): void {
  for (let at = 0; at < times; at += 1) runReportingFailure(host, "create", () => create(host, wanted, 1));
}

/** Deletes an object by name. Objects with finalizers stay until these are removed. */
export function deleteByName(host: Host, { plane, type, object }: TargetObject): Promise<void> {
  const client = clientOf(host, plane, type);
  const { name = "", namespace } = object.metadata;
  const ref = { name, ...(namespace === undefined ? {} : { namespace }) };
  return retry(host, async () => {
    await client.delete(ref, {}, signal).catch((error: unknown) => {
      if (failureReason(error) !== "NotFound") throw error;
    });
  });
}

/** Removes the finalizers of an object. */
export function removeFinalizers(host: Host, { plane, type, object }: TargetObject): Promise<void> {
  const client = clientOf(host, plane, type);
  const { name = "", namespace } = object.metadata;
  const ref = { name, ...(namespace === undefined ? {} : { namespace }) };
  return retry(host, async () => {
    const found = await client.find(ref, signal);
    if (found === undefined || metadataOf(found).finalizers === undefined) return;
    const body = { metadata: { finalizers: null, resourceVersion: metadataOf(found).resourceVersion } };
    await client.patch(ref, { type: "merge", body }, {}, signal).catch((error: unknown) => {
      if (failureReason(error) !== "NotFound") throw error;
    });
  });
}

/** Deletes an object and creates it again under the same name. */
export async function replace(host: Host, wanted: TargetObject): Promise<void> {
  await deleteByName(host, wanted);
  await create(host, wanted, 3);
}

/** Changes the labels that policies evaluate, or removes all with null. */
export function relabel(
  host: Host,
  { plane, type, object }: TargetObject,
  labels: Readonly<Record<string, string>> | null,
  history: AdmissionHistory,
): Promise<void> {
  const client = clientOf(host, plane, type);
  const { name = "", namespace } = object.metadata;
  const ref = { name, ...(namespace === undefined ? {} : { namespace }) };
  return retry(host, async () => {
    const found = await client.find(ref, signal);
    if (found === undefined) return;
    const { uid = "", resourceVersion } = metadataOf(found);
    history.objectEdited(uid);
    await client.patch(ref, { type: "merge", body: { metadata: { labels, resourceVersion } } }, {}, signal);
  });
}
