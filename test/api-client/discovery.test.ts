import { type EmbeddedServer, startEmbedded } from "@milo-quota/apiserver/embedded-server.ts";
import { MemoryLog } from "@milo-quota/apiserver/storage/log/memory-log.ts";
import { systemClock } from "@milo-quota/apiserver/system-clock.ts";
import { KindDirectory, type KindName } from "@milo-quota/kubernetes/client/discovery/kind-directory.ts";
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

/** A directory over the server, by a transport that a test may spoil. */
function directoryOver(ask: Ask = (call, ends) => transport.request(call, ends)) {
  const asked: string[] = [];
  const clock = new FakeClock(1_000_000);
  const counting: Transport = {
    ...transport,
    request: (call, ends) => {
      asked.push(call.path);
      return ask(call, ends);
    },
  };
  const clientOf = (plane: string) =>
    new KubeClient(counting, { plane, prefix: plane === "root" ? "" : `/planes/${plane}` });
  return { directory: new KindDirectory(clientOf, clock), clock, asked };
}

const older: Ask = ({ accept: _, ...call }, ends) => transport.request(call, ends);
const answering =
  (document: object): Ask =>
  async () => ({ code: 200, headers: {}, body: JSON.stringify(document) });

const found: Record<string, [kind: KindName, expected: object | undefined]> = {
  "a kind of the core group": [
    { apiGroup: "", kind: "ConfigMap" },
    { group: "", version: "v1", plural: "configmaps", scope: "Namespaced" },
  ],
  "a kind in no namespace": [
    { apiGroup: "", kind: "Namespace" },
    { group: "", version: "v1", plural: "namespaces", scope: "Cluster" },
  ],
  "a kind of another group": [
    { apiGroup: "coordination.k8s.io", kind: "Lease" },
    { group: "coordination.k8s.io", version: "v1", plural: "leases", scope: "Namespaced" },
  ],
  "nothing for a kind that its group lacks": [{ apiGroup: "coordination.k8s.io", kind: "Widget" }, undefined],
  "nothing for a group that nobody serves": [{ apiGroup: "nobody.example.com", kind: "Widget" }, undefined],
  "nothing for what cannot be listed": [
    { apiGroup: "authorization.k8s.io", kind: "SelfSubjectAccessReview" },
    undefined,
  ],
};

describe.each([
  ["a server that tells all at once", undefined],
  ["a server that tells one group after the other", older],
])("kinds of %s", (_, ask) => {
  for (const [name, [kind, expected]] of Object.entries(found)) {
    it(`are found: ${name}`, async () => {
      expect(await directoryOver(ask).directory.find("root", kind)).toEqual(expected);
    });
  }
});

describe("a directory of kinds", () => {
  const crds = () => client.resource(definitions, parseAny);
  const name = widgetDefinition.metadata.name;
  /** A definition goes when all objects of its kind have gone, which takes a moment. */
  const undefine = async (): Promise<void> => {
    if ((await crds().find({ name }, signal)) === undefined) return;
    await crds().delete({ name }, {}, signal);
    await vi.waitFor(async () => expect(await crds().find({ name }, signal)).toBeUndefined());
  };
  beforeEach(undefine);

  it("asks once for everything, and again when that is old", async () => {
    const { directory, clock, asked } = directoryOver();
    const lease = { apiGroup: "coordination.k8s.io", kind: "Lease" };
    const role = { apiGroup: "rbac.authorization.k8s.io", kind: "Role" };
    await Promise.all([directory.find("root", lease), directory.find("root", lease)]);
    await directory.find("root", role);
    expect(asked).toEqual(["/apis"]);
    clock.advance(31_000);
    await directory.find("root", role);
    expect(asked).toEqual(["/apis", "/apis"]);
  });

  it("asks for a kind that is not served again, though not at once", async () => {
    const { directory, clock, asked } = directoryOver();
    expect(await directory.find("root", widget)).toBeUndefined();
    await crds().create(widgetDefinition, {}, signal);
    expect(await directory.find("root", widget)).toBeUndefined();
    expect(asked).toHaveLength(1);
    clock.advance(3_000);
    expect(await directory.find("root", widget)).toMatchObject({ plural: "widgets", version: "v1" });
  });

  it("asks again soon when it is doubted", async () => {
    await crds().create(widgetDefinition, {}, signal);
    const { directory, clock, asked } = directoryOver();
    await directory.find("root", widget);
    await undefine();
    clock.advance(4_000);
    expect(await directory.find("root", widget)).toBeDefined();
    directory.doubt("root");
    expect(await directory.find("root", widget)).toBeUndefined();
    expect(asked).toHaveLength(2);
  });

  it("knows that planes serve different kinds", async () => {
    await crds().create(widgetDefinition, {}, signal);
    const { directory } = directoryOver();
    expect(await directory.find("root", widget)).toBeDefined();
    expect(await directory.find("other", widget)).toBeUndefined();
    expect(await directory.find("other", { apiGroup: "", kind: "Secret" })).toBeDefined();
  });

  it("takes the version that the server prefers, where the kind is in it", async () => {
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
    expect(await directory.find("root", { ...widget, kind: "Gadget" })).toMatchObject({ version: "v2" });
    expect(await directory.find("root", widget)).toMatchObject({ version: "v1" });
  });

  const unsure: Record<string, Ask> = {
    "does not answer": async () => Promise.reject(new Error("no way there")),
    refuses: async () => ({ code: 403, headers: {}, body: "" }),
    "is not there": async () => ({ code: 404, headers: {}, body: "" }),
    "calls what it knows outdated": answering({
      kind: "APIGroupDiscoveryList",
      items: [{ metadata: { name: widget.apiGroup }, versions: [{ version: "v1", freshness: "Stale" }] }],
    }),
    "cannot tell of one version": async (call) =>
      call.path === `/apis/${widget.apiGroup}/v1` ? { code: 503, headers: {}, body: "" } : older(call, signal),
  };
  for (const [server, ask] of Object.entries(unsure)) {
    it(`never says that a kind is not served when the server ${server}`, async () => {
      await crds().create(widgetDefinition, {}, signal);
      await expect(directoryOver(ask).directory.find("root", widget)).rejects.toThrow();
    });
  }

  it("gives up on a server that says nothing", async () => {
    const silent: Ask = (_, ends) =>
      new Promise((_resolve, reject) => ends.addEventListener("abort", () => reject(ends.reason)));
    const { directory, clock } = directoryOver(silent);
    const finding = expect(directory.find("root", widget)).rejects.toThrow("did not say within 10000 ms");
    clock.advance(10_000);
    await finding;
    expect(clock.waiting).toBe(0);
  });
});
