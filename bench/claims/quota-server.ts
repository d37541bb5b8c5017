import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Serving, serve } from "@milo-quota/apiserver/serve.ts";
import { systemClock } from "@milo-quota/apiserver/system-clock.ts";
import { KubeClient, rootPlane } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import type { ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import { directTransport } from "@milo-quota/kubernetes/client/transport/direct-transport.ts";
import type { Transport } from "@milo-quota/kubernetes/client/transport/transport.ts";
import type { KubernetesObject } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { parse } from "yaml";

/** An embedded server in this process with the quota CRDs. */
export interface QuotaServer {
  readonly serving: Serving;
  /** In-process transport as administrator. */
  readonly transport: Transport;
  readonly root: KubeClient;
}

export const token = "bench";

const admin = { username: "bench", uid: "bench", groups: ["system:masters"], extra: {} };
const definitions: ResourceType = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  scope: "Cluster",
};
/** Relative to the root of the repository, where benchmarks run. */
const folder = "deploy/crds";

export async function startQuotaServer(directory: string): Promise<QuotaServer> {
  const report = (error: unknown): void => console.error(error);
  const serving = await serve({ directory, host: "127.0.0.1", port: 0, token, clock: systemClock, report });
  const transport = directTransport((request) => serving.server.api.handle(request), admin);
  const root = new KubeClient(transport, rootPlane);
  await install(root);
  return { serving, transport, root };
}

/** Creates the CRDs and waits until they are established. */
async function install(root: KubeClient): Promise<void> {
  const { signal } = new AbortController();
  const client = root.resource(definitions, (value) => ({ ok: true, value: value as unknown as KubernetesObject }));
  for (const file of readdirSync(folder)) {
    const definition = parse(readFileSync(join(folder, file), "utf8")) as KubernetesObject;
    const name = definition.metadata.name as string;
    await client.create(definition, {}, signal);
    while (!isEstablished(await client.get({ name }, signal))) await turn();
  }
}

function isEstablished(definition: KubernetesObject): boolean {
  const { status } = definition as { readonly status?: { readonly conditions?: readonly Condition[] } };
  return status?.conditions?.some(({ type, status: is }) => type === "Established" && is === "True") ?? false;
}

interface Condition {
  readonly type: string;
  readonly status: string;
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
