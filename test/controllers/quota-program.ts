// API server and controllers in one process, for a test that kills it: `node quota.js <directory>`.
import { randomUUID } from "node:crypto";
import { serve } from "@milo-quota/apiserver/serve.ts";
import { systemClock } from "@milo-quota/apiserver/system-clock.ts";
import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import { KubeClient } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import { directTransport } from "@milo-quota/kubernetes/client/transport/direct-transport.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { KubernetesObject } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { crdOf } from "@milo-quota/kubernetes/schema/crd.ts";
import { Controllers } from "@milo-quota/quota/controllers/controllers.ts";
import { quotaKinds } from "@milo-quota/quota/core/resources/kinds.ts";
import { onePlane } from "@milo-quota/quota/views/one-plane.ts";
import type { ServerLine } from "../apiserver/server-program.ts";

const tell = (line: ServerLine): void => console.log(line);
const [directory = ""] = process.argv.slice(2);
const { server, url } = await serve({
  directory,
  host: "127.0.0.1",
  port: 0,
  token: "admin-token",
  clock: systemClock,
  report: (error) => tell(`fault ${error instanceof Error ? error.stack : String(error)}`),
});
const admin = { username: "admin", uid: "admin", groups: ["system:masters"], extra: {} };
const transport = directTransport((request) => server.api.handle(request), admin);
await define();
new Controllers({
  leadership: "alone",
  runtime: {
    planes: onePlane(transport),
    clock: systemClock,
    elapsedMs: () => performance.now(),
    random: { fraction: Math.random, uuid: randomUUID },
    incarnation: randomUUID(),
    report: () => undefined, // errors are retried; the test checks only the outcome
  },
}).start();
tell(`url ${url}`);

async function define(): Promise<void> {
  const type = { group: "apiextensions.k8s.io", version: "v1", plural: "customresourcedefinitions", scope: "Cluster" };
  const definitions = new KubeClient(transport).resource({ ...type, scope: "Cluster" }, anyObject);
  for (const kind of quotaKinds) {
    try {
      const definition = crdOf(kind) as unknown as KubernetesObject;
      await definitions.create(definition, {}, new AbortController().signal);
    } catch (error) {
      if (!(error instanceof StatusError) || error.status.reason !== "AlreadyExists") throw error;
    }
  }
}
