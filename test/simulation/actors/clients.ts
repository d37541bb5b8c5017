import { setMaxListeners } from "node:events";
import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import { KubeClient } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import type { ResourceClient } from "@milo-quota/kubernetes/client/resources/resource-client.ts";
import type { ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import { ConnectionFailed } from "@milo-quota/kubernetes/client/transport/transport.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { layout } from "../world/layout.ts";
import type { Host } from "../world/world.ts";

/** Nobody in a simulated world gives up by a signal: their machines crash. */
export const { signal } = new AbortController();
setMaxListeners(0, signal); // all wait on the same one

export const configMaps: ResourceType = { group: "", version: "v1", plural: "configmaps", scope: "Namespaced" };
export const secrets: ResourceType = { group: "", version: "v1", plural: "secrets", scope: "Namespaced" };
export const webhookConfigurations: ResourceType = {
  group: "admissionregistration.k8s.io",
  version: "v1",
  plural: "validatingwebhookconfigurations",
  scope: "Cluster",
};

export function clientOf({ transport }: Host, plane: string, type: ResourceType): ResourceClient<JsonObject> {
  return new KubeClient(transport, layout.addressOf(plane)).resource(type, anyObject);
}

/** What an answer that is none tells: the reason of a refusal, or that nobody knows what happened. */
export function reasonOf(error: unknown): string {
  if (error instanceof StatusError) return error.status.reason ?? String(error.status.code);
  if (error instanceof ConnectionFailed) return "unknown";
  throw error;
}

export function waitFor({ clock }: Host, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(ms, resolve);
  });
}

/** Runs something that may fail in ways that are part of life; anything else is a mistake in here, and is not hidden. */
export function attempt(host: Host, what: string, work: () => Promise<void>): void {
  work().catch((error: unknown) => {
    host.report(what, reasonOf(error));
  });
}

/** Does something until it is done, or refused for good. */
export async function insist(host: Host, work: () => Promise<void>, tries = 12): Promise<void> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await work();
    } catch (error) {
      const reason = reasonOf(error);
      if (tried >= tries || reason === "Forbidden" || reason === "Invalid" || reason === "BadRequest") throw error;
    }
    await waitFor(host, Math.min(3_000, 50 * 2 ** tried));
  }
}
