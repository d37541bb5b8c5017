import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";

// Requests of clients in scenarios. They are retried until they succeed.

import { lightAbortController } from "@milo-quota/kubernetes/client/light-abort-controller.ts";
import { KubeClient } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import type { ResourceClient } from "@milo-quota/kubernetes/client/resources/resource-client.ts";
import type { ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import { sleep } from "@milo-quota/kubernetes/client/sleep.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { KubernetesObject } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import {
  bucketsType,
  claimPoliciesType,
  claimsType,
  grantsType,
  registrationsType,
} from "@milo-quota/quota/views/quota-types.ts";
import { layout } from "../world/layout.ts";
import type { Host, World } from "../world/world.ts";

const { signal } = lightAbortController();
const retryMs = 200;
const types: readonly (readonly [kind: string, type: ResourceType])[] = [
  ["ResourceRegistration", registrationsType],
  ["ResourceGrant", grantsType],
  ["ResourceClaim", claimsType],
  ["AllowanceBucket", bucketsType],
  ["ClaimCreationPolicy", claimPoliciesType],
  ["ConfigMap", { group: "", version: "v1", plural: "configmaps", scope: "Namespaced" }],
];

type Objects = ResourceClient<JsonObject>;

/** Address of an object. */
export interface Where {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly plane?: string;
}

export function create(world: World, object: KubernetesObject, plane = "root"): void {
  const { kind = "", metadata } = object;
  act(world, { kind, name: metadata.name ?? "", plane }, async (objects) => {
    await objects.create(object, {}, signal).catch(ignore(409));
  });
}

/** Creates an object without retries: a rejection is final. */
export function createOnce(world: World, object: KubernetesObject, plane = "root"): void {
  const { kind = "", metadata } = object;
  act(world, { kind, name: metadata.name ?? "", plane }, async (objects) => {
    await objects.create(object, {}, signal).catch((error: unknown) => world.note(`not created: ${String(error)}`));
  });
}

/** Calls `onFound` with the UID of the object before deleting it. */
export function remove(world: World, where: Where, onFound: (uid: string) => void = () => undefined): void {
  const { namespace, name } = where;
  const ref = { name, ...(namespace === undefined ? {} : { namespace }) };
  act(world, where, async (objects) => {
    const { uid } = ((await objects.find(ref, signal))?.["metadata"] ?? {}) as { readonly uid?: string };
    if (uid === undefined) return;
    onFound(uid);
    await objects.delete(ref, { uid }, signal).catch(ignore(404));
  });
}

/** Applies a merge patch. */
export function change(world: World, where: Where, body: object): void {
  const { namespace, name } = where;
  const ref = { name, ...(namespace === undefined ? {} : { namespace }) };
  act(world, where, async (objects) => {
    await objects.patch(ref, { type: "merge", body }, {}, signal).catch(ignore(404));
  });
}

/** The name of the machine seeds its random streams: renaming it changes all runs. */
function act(world: World, { kind, plane = "root" }: Where, work: (objects: Objects) => Promise<void>): void {
  const type = types.find(([known]) => known === kind)?.[1];
  if (type === undefined) throw new RangeError(`scenarios do not support kind ${kind}`);
  world.machine("people").run((host) => {
    const client = new KubeClient(host.transport).inPlane(layout.addressOf(plane)).resource(type, anyObject);
    void untilDone(host, () => work(client));
  }, "once");
}

async function untilDone(host: Host, work: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      host.report("client", error);
      await sleep(host.clock, retryMs, signal);
    }
  }
}

function ignore(code: number): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof StatusError) || error.status.code !== code) throw error;
  };
}
