import { startEmbedded } from "@milo-quota/apiserver/embedded-server.ts";
import { MemoryLog } from "@milo-quota/apiserver/storage/log/memory-log.ts";
import type { LogRecord } from "@milo-quota/apiserver/storage/log/record-log.ts";
import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import { KubeClient } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import { namespacesType } from "@milo-quota/kubernetes/client/resources/namespaces.ts";
import type { ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import { directTransport } from "@milo-quota/kubernetes/client/transport/direct-transport.ts";
import { FakeClock } from "@milo-quota/kubernetes/protocol/fake-clock.ts";
import type { KubernetesObject } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { crdOf } from "@milo-quota/kubernetes/schema/crd.ts";
import { quotaKinds } from "@milo-quota/quota/core/resources/kinds.ts";
import { systemNamespace } from "@milo-quota/quota/core/resources/well-known.ts";
import { organizationDefinition } from "@milo-quota/quota/tenancy/resources/organization.ts";
import { definitionsFrom, layout, organizations, planes, resolvePlane } from "./layout.ts";
import { SeededRandom } from "./seeded-random.ts";

/** Start time of every simulation. */
export const startMs = 1_800_000_000_000;

const admin = { username: "admin", uid: "admin", groups: ["system:masters"], extra: {} };
const definitions: ResourceType = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  scope: "Cluster",
};

let prepared: Promise<readonly LogRecord[]> | undefined;

/** Initial content of the disk: planes, CRDs and organizations. Created once for all worlds. */
export function preparedRecords(): Promise<readonly LogRecord[]> {
  prepared ??= prepare();
  return prepared;
}

async function prepare(): Promise<readonly LogRecord[]> {
  const log = new MemoryLog();
  const random = new SeededRandom(0, "prepared");
  const server = await startEmbedded({
    log,
    clock: new FakeClock(startMs),
    random: { fraction: () => random.fraction(), uuid: () => random.uuid() },
    tokens: [],
    resolvePlane,
    definitionsFrom,
    report: (error) => {
      throw error;
    },
  });
  const { signal } = new AbortController();
  const client = new KubeClient(directTransport((request) => server.api.handle(request), admin));
  for (const plane of [planes.root, ...planes.projects]) {
    if (plane !== planes.root) await server.openPlane(plane);
    const inPlane = client.inPlane(layout.addressOf(plane));
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: systemNamespace } };
    await inPlane.resource(namespacesType, anyObject).create(namespace, {}, signal);
  }
  for (const kind of [...quotaKinds, organizationDefinition]) {
    const definition = crdOf(kind) as unknown as KubernetesObject;
    await client.resource(definitions, anyObject).create(definition, {}, signal);
  }
  await new Promise((resolve) => setImmediate(resolve)); // CRDs are served one turn after they are stored
  const { group, version, kind } = organizationDefinition;
  for (const name of organizations) {
    const organization = { apiVersion: `${group}/${version}`, kind, metadata: { name } };
    await client.resource(organizationDefinition, anyObject).create(organization, {}, signal);
  }
  await server.stop();
  const { pages } = await log.load();
  const records: LogRecord[] = [];
  for await (const page of pages) records.push(...page);
  return records;
}
