import { type EmbeddedServer, startEmbedded } from "@milo-quota/apiserver/embedded-server.ts";
import { MemoryLog } from "@milo-quota/apiserver/storage/log/memory-log.ts";
import { systemClock } from "@milo-quota/apiserver/system-clock.ts";
import { type GroupKind, RestMapper } from "@milo-quota/kubernetes/client/discovery/rest-mapper.ts";
import { KubeClient } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import { directTransport } from "@milo-quota/kubernetes/client/transport/direct-transport.ts";
import type { Call, Reply, Transport } from "@milo-quota/kubernetes/client/transport/transport.ts";
import { FakeClock } from "@milo-quota/kubernetes/protocol/fake-clock.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { definitions, parseAny, widgetDefinition } from "./kinds.ts";

const admin = { username: "admin", uid: "admin", groups: ["system:masters"], extra: {} };
const { signal } = new AbortController();
const widget = { apiGroup: "client.example.com", kind: "Widget" };

function planeIn(path: string): { plane: string; path: string } {
  const found = /^\/planes\/([^/]+)(\/.*)$/.exec(path);
  return found === null ? { plane: "root", path } : { plane: found[1] ?? "", path: found[2] ?? "" };
}

let embedded: EmbeddedServer;
let transport: Transport;
let client: KubeClient;

beforeAll(async () => {
  const report = (error: unknown): never => expect.fail(String(error));
  embedded = await startEmbedded({
    log: new MemoryLog(),
    clock: systemClock,
    tokens: [],
    resolvePlane: planeIn,
    report,
  });
  transport = directTransport((request) => embedded.api.handle(request), admin);
  client = new KubeClient(transport);
});

afterAll(() => embedded.stop());

type Ask = (call: Call, signal: AbortSignal) => Promise<Reply>;

/** A kind directory whose requests a test can intercept. */
function directoryOver(ask: Ask = (call, ends) => transport.request(call, ends)) {
  const requested: string[] = [];
  const clock = new FakeClock(1_000_000);
  const counting: Transport = {
    ...transport,
    request: (call, ends) => {
      requested.push(call.path);
      return ask(call, ends);
    },
  };
  const clientOf = (plane: string) =>
    new KubeClient(counting, { plane, prefix: plane === "root" ? "" : `/planes/${plane}` });
  return { directory: new RestMapper(clientOf, clock), clock, requested };
}

const older: Ask = ({ accept: _, ...call }, ends) => transport.request(call, ends);
const answering =
  (document: object): Ask =>
  async () => ({ code: 200, headers: {}, body: JSON.stringify(document) });

const found: Record<string, [kind: GroupKind, expected: object | undefined]> = {
  "a kind of the core group": [
    { apiGroup: "", kind: "ConfigMap" },
    { group: "", version: "v1", plural: "configmaps", scope: "Namespaced" },
  ],
  "a cluster-scoped kind": [
    { apiGroup: "", kind: "Namespace" },
    { group: "", version: "v1", plural: "namespaces", scope: "Cluster" },
  ],
  "a kind of another group": [
    { apiGroup: "coordination.k8s.io", kind: "Lease" },
    { group: "coordination.k8s.io", version: "v1", plural: "leases", scope: "Namespaced" },
  ],
  "nothing for an unknown kind of a group": [{ apiGroup: "coordination.k8s.io", kind: "Widget" }, undefined],
  "nothing for an unknown group": [{ apiGroup: "unknown.example.com", kind: "Widget" }, undefined],
  "nothing for a kind that cannot be listed": [
    { apiGroup: "authorization.k8s.io", kind: "SelfSubjectAccessReview" },
    undefined,
  ],
};

describe.each([
  ["a server with aggregated discovery", undefined],
  ["a server without aggregated discovery", older],
])("discovery on %s", (_, ask) => {
  for (const [name, [kind, expected]] of Object.entries(found)) {
    it(`finds ${name}`, async () => {
      expect(await directoryOver(ask).directory.resourceFor("root", kind)).toEqual(expected);
    });
  }
});

describe("a directory of kinds", () => {
  const crds = () => client.resource(definitions, parseAny);
  const name = widgetDefinition.metadata.name;
  /** A CRD is deleted after all its objects, which takes a moment. */
  const undefine = async (): Promise<void> => {
    if ((await crds().find({ name }, signal)) === undefined) return;
    await crds().delete({ name }, {}, signal);
    await vi.waitFor(async () => expect(await crds().find({ name }, signal)).toBeUndefined());
  };
  beforeEach(undefine);

  it("caches discovery until it expires", async () => {
    const { directory, clock, requested } = directoryOver();
    const lease = { apiGroup: "coordination.k8s.io", kind: "Lease" };
    const role = { apiGroup: "rbac.authorization.k8s.io", kind: "Role" };
    await Promise.all([directory.resourceFor("root", lease), directory.resourceFor("root", lease)]);
    await directory.resourceFor("root", role);
    expect(requested).toEqual(["/apis"]);
    clock.advance(31_000);
    await directory.resourceFor("root", role);
    expect(requested).toEqual(["/apis", "/apis"]);
  });

  it("requests discovery again for an unknown kind after a delay", async () => {
    const { directory, clock, requested } = directoryOver();
    expect(await directory.resourceFor("root", widget)).toBeUndefined();
    await crds().create(widgetDefinition, {}, signal);
    expect(await directory.resourceFor("root", widget)).toBeUndefined();
    expect(requested).toHaveLength(1);
    clock.advance(3_000);
    expect(await directory.resourceFor("root", widget)).toMatchObject({ plural: "widgets", version: "v1" });
  });

  it("requests discovery again soon after an invalidation", async () => {
    await crds().create(widgetDefinition, {}, signal);
    const { directory, clock, requested } = directoryOver();
    await directory.resourceFor("root", widget);
    await undefine();
    clock.advance(4_000);
    expect(await directory.resourceFor("root", widget)).toBeDefined();
    directory.invalidate("root");
    expect(await directory.resourceFor("root", widget)).toBeUndefined();
    expect(requested).toHaveLength(2);
  });

  it("caches each plane separately", async () => {
    await crds().create(widgetDefinition, {}, signal);
    const { directory } = directoryOver();
    expect(await directory.resourceFor("root", widget)).toBeDefined();
    expect(await directory.resourceFor("other", widget)).toBeUndefined();
    expect(await directory.resourceFor("other", { apiGroup: "", kind: "Secret" })).toBeDefined();
  });

  it("uses the preferred version if it has the kind", async () => {
    const resource = (plural: string, kind: string) => ({
      resource: plural,
      responseKind: { kind },
      scope: "Cluster",
      verbs: ["list", "watch"],
    });
    const versions = [
      { version: "v2", resources: [resource("gadgets", "Gadget")], freshness: "Current" },
      { version: "v1", resources: [resource("gadgets", "Gadget"), resource("widgets", "Widget")] },
    ];
    const document = { kind: "APIGroupDiscoveryList", items: [{ metadata: { name: widget.apiGroup }, versions }] };
    const { directory } = directoryOver(answering(document));
    expect(await directory.resourceFor("root", { ...widget, kind: "Gadget" })).toMatchObject({ version: "v2" });
    expect(await directory.resourceFor("root", widget)).toMatchObject({ version: "v1" });
  });

  const unsure: Record<string, Ask> = {
    "does not answer": async () => Promise.reject(new Error("no route")),
    "answers 403": async () => ({ code: 403, headers: {}, body: "" }),
    "answers 404": async () => ({ code: 404, headers: {}, body: "" }),
    "marks a group as stale": answering({
      kind: "APIGroupDiscoveryList",
      items: [{ metadata: { name: widget.apiGroup }, versions: [{ version: "v1", freshness: "Stale" }] }],
    }),
    "fails for one version": async (call) =>
      call.path === `/apis/${widget.apiGroup}/v1` ? { code: 503, headers: {}, body: "" } : older(call, signal),
  };
  for (const [server, ask] of Object.entries(unsure)) {
    it(`does not treat a kind as unknown if the server ${server}`, async () => {
      await crds().create(widgetDefinition, {}, signal);
      await expect(directoryOver(ask).directory.resourceFor("root", widget)).rejects.toThrow();
    });
  }

  it("times out if the server does not respond", async () => {
    const silent: Ask = (_, ends) =>
      new Promise((_resolve, reject) => ends.addEventListener("abort", () => reject(ends.reason)));
    const { directory, clock } = directoryOver(silent);
    const finding = expect(directory.resourceFor("root", widget)).rejects.toThrow("did not complete within 10000 ms");
    clock.advance(10_000);
    await finding;
    expect(clock.waiting).toBe(0);
  });
});
