import type { KubeClient } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import type { ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import { sleep } from "@milo-quota/kubernetes/client/sleep.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  jsonEquals,
} from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { KubernetesObject } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { crdOf } from "@milo-quota/kubernetes/schema/crd.ts";
import type { KindDefinition } from "@milo-quota/kubernetes/schema/kind-definition.ts";

const definitionsType: ResourceType = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  scope: "Cluster",
};
const pollMs = 5;
const pollsMax = 2_000;

/** Creates or updates the CRDs of kinds. Resolves when all of them are served. */
export async function installKinds(
  client: KubeClient,
  kinds: readonly KindDefinition[],
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  const definitions = client.resource(definitionsType, (value: JsonValue) => ({
    ok: true,
    value: value as JsonObject,
  }));
  await Promise.all(
    kinds.map(async (kind) => {
      const wanted = crdOf(kind) as unknown as KubernetesObject & { readonly spec: JsonObject };
      const { name = "" } = wanted.metadata;
      const found = await definitions.find({ name }, signal);
      if (found === undefined) await definitions.create(wanted, {}, signal);
      else if (!includes(found["spec"] ?? null, wanted.spec)) {
        const { metadata } = found as unknown as KubernetesObject;
        await definitions.update({ ...wanted, metadata }, {}, signal);
      }
    }),
  );
  await Promise.all(kinds.map((kind) => untilServed(client, kind, clock, signal)));
}

/** Whether the stored value has all that is wanted. It may have more, because the server fills in defaults. */
function includes(stored: JsonValue, wanted: JsonValue): boolean {
  if (Array.isArray(wanted)) {
    return (
      Array.isArray(stored) &&
      stored.length === wanted.length &&
      wanted.every((item, at) => includes(stored[at] ?? null, item))
    );
  }
  if (!isJsonObject(wanted)) return jsonEquals(stored, wanted);
  return isJsonObject(stored) && Object.entries(wanted).every(([name, value]) => includes(stored[name] ?? null, value));
}

async function untilServed(client: KubeClient, kind: KindDefinition, clock: Clock, signal: AbortSignal): Promise<void> {
  const objects = client.resource(kind, (value) => ({ ok: true, value }));
  for (let polls = 0; ; polls += 1) {
    try {
      await objects.list({ limit: 1 }, signal);
      return;
    } catch (error) {
      if (!(error instanceof StatusError) || error.status.code !== 404 || polls >= pollsMax) throw error;
      await sleep(clock, pollMs, signal);
    }
  }
}
