// Child process: the whole system, as `milo-quota up` runs it.
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Serving } from "@milo-quota/apiserver/serve.ts";
import { systemClock } from "@milo-quota/apiserver/system-clock.ts";
import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import { KubeClient, rootPlane } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import { namespacesType } from "@milo-quota/kubernetes/client/resources/namespaces.ts";
import type { ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import { directTransport } from "@milo-quota/kubernetes/client/transport/direct-transport.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { KubernetesObject } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { up } from "@milo-quota/quota/embedded/up.ts";
import {
  claimPoliciesType,
  claimsType,
  grantsType,
  registrationsType,
} from "../../packages/quota/src/views/quota-types.ts";
import { authorityIn } from "../kubeconfig.ts";
import type { ChildRequest, Memory, Setup, Started, State } from "./admission-child.ts";
import { grant, grantedClaim, namespaceManifest, namespaceOf, policy, registration } from "./quota-manifests.ts";

const token = "bench";
const setup = JSON.parse(process.argv[2] ?? "{}") as Setup;
const { signal } = new AbortController();
const directory = mkdtempSync(join(tmpdir(), "milo-quota-bench-"));
const serving = await start();
const { store } = serving.server.registry;
const admin = { username: "bench", uid: "bench", groups: ["system:masters"], extra: {} };
const root = new KubeClient(
  directTransport((request) => serving.server.api.handle(request), admin),
  rootPlane,
);
for (let consumer = 1; consumer < setup.consumers; consumer += 1) {
  await create(namespacesType, namespaceManifest(consumer));
}
if (setup.quota) await provide();

process.send?.({ target: { url: serving.url, token, ca: authorityIn(serving.kubeconfig ?? "") } } satisfies Started);
process.on("message", async (requested: ChildRequest) => {
  if (requested.ask === "stop") await stop();
  else process.send?.(requested.ask === "memory" ? memory() : state());
});

/** Without quota, the whole system still runs, but no policy matches the created objects. */
function start(): Promise<Serving> {
  const report = (where: string, error: unknown): void => console.error(where, error);
  const options = { directory, host: "127.0.0.1", port: 0, token, clock: systemClock };
  return up({ ...options, elapsedMs: () => performance.now(), report });
}

async function provide(): Promise<void> {
  await create(registrationsType, registration);
  for (let consumer = 0; consumer < setup.consumers; consumer += 1) await create(grantsType, grant(consumer));
  await storeHistory(setup.history);
  await create(claimPoliciesType, policy);
  const policies = root.resource(claimPoliciesType, anyObject);
  while (!JSON.stringify(await policies.get({ name: "configmaps" }, signal)).includes("PolicyReady")) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function create(type: ResourceType, manifest: KubernetesObject): Promise<JsonObject> {
  return root.resource(type, anyObject).create(manifest, {}, signal);
}

/** Writes to the store directly: the API would take an hour. */
async function storeHistory(count: number): Promise<void> {
  const resource = `${claimsType.plural}.${claimsType.group}`;
  for (let at = 0; at < count; at += 1_000) {
    const writes = Array.from({ length: Math.min(1_000, count - at) }, (_, index) => {
      const name = `old-claim-${at + index}`;
      const object = grantedClaim(name, randomUUID()) as unknown as JsonObject;
      return store.put({ plane: "root", resource, namespace: namespaceOf(0), name }, 0, object);
    });
    await Promise.all(writes);
  }
}

function state(): State {
  return { revision: store.revision };
}

function memory(): Memory {
  globalThis.gc?.();
  return { heapBytes: process.memoryUsage().heapUsed };
}

async function stop(): Promise<void> {
  await serving.stop();
  rmSync(directory, { recursive: true, force: true });
  process.disconnect();
}
