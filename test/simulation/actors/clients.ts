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

/** Never aborted: simulated programs end by crashes of their machines. */
export const { signal } = new AbortController();
setMaxListeners(0, signal); // shared by all requests

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

/** Reason of an error response, or "unknown" for a lost connection. Any other error is a bug and is thrown. */
export function failureReason(error: unknown): string {
  if (error instanceof StatusError) return error.status.reason ?? String(error.status.code);
  if (error instanceof ConnectionFailed) return "unknown";
  throw error;
}

export function sleep({ clock }: Host, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(ms, resolve);
  });
}

/** Runs work in the background and reports API and connection errors. Other errors are bugs of the actor and are not hidden. */
export function runReportingFailure(host: Host, what: string, work: () => Promise<void>): void {
  work().catch((error: unknown) => {
    host.report(what, failureReason(error));
  });
}

/** Retries with backoff until the work succeeds or is rejected permanently. */
export async function retry(host: Host, work: () => Promise<void>, tries = 12): Promise<void> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await work();
    } catch (error) {
      const reason = failureReason(error);
      if (tried >= tries || reason === "Forbidden" || reason === "Invalid" || reason === "BadRequest") throw error;
    }
    await sleep(host, Math.min(3_000, 50 * 2 ** tried));
  }
}
