import { rootPlane } from "@milo-quota/apiserver/embedded-server.ts";
import type { PlaneResolver } from "@milo-quota/apiserver/http/plane-path.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { widgetDefinition, widgets } from "./custom-kinds.ts";
import { TestServer, turnOfEvents } from "./test-server.ts";
import { users } from "./test-users.ts";

/** `/planes/{name}/…` is in the plane of that name, everything else in the root plane. */
const resolvePlane: PlaneResolver = (path) => {
  const [, plane, rest] = /^\/planes\/([a-z0-9-]+)(\/.*)$/.exec(path) ?? [];
  if (plane !== undefined && rest !== undefined) return plane === "nowhere" ? undefined : { plane, path: rest };
  return { plane: rootPlane, path };
};

const configMaps = "/api/v1/namespaces/default/configmaps";
const inA = (path: string): string => `/planes/a${path}`;
const inB = (path: string): string => `/planes/b${path}`;

describe("planes", () => {
  let server: TestServer;

  beforeEach(async () => {
    server = await TestServer.start({ resolvePlane });
    await server.server.openPlane("a");
    await server.server.openPlane("b");
    await server.settled();
  });

  afterEach(async () => {
    await server.stop();
    expect(server.faults).toEqual([]);
    expect(server.clock.waiting).toBe(0);
  });

  it("have separate objects of the same name", async () => {
    const created = [];
    for (const path of [configMaps, inA(configMaps), inB(configMaps)]) {
      created.push(await server.create(path, { metadata: { name: "same" }, data: { path } }));
    }
    expect(created.map(({ code }) => code)).toEqual([201, 201, 201]);
    expect(new Set(created.map(({ body }) => body.metadata.uid)).size).toBe(3);
    await server.remove(`${inA(configMaps)}/same`);
    const left = [configMaps, inA(configMaps), inB(configMaps)].map(
      async (path) => (await server.get(`${path}/same`)).code,
    );
    expect(await Promise.all(left)).toEqual([200, 404, 200]);
    expect((await server.get(`${inB(configMaps)}/same`)).body.data).toEqual({ path: inB(configMaps) });
  });

  it("that the resolver does not know are not found and not created", async () => {
    const before = server.server.registry.store.revision;
    const reply = await server.create(`/planes/nowhere${configMaps}`, { metadata: { name: "x" } });
    expect([reply.code, reply.text]).toEqual([404, "404 page not found\n"]);
    expect(server.server.registry.store.revision).toBe(before);
  });

  it("have separate namespaces, which are deleted independently", async () => {
    for (const to of [inA, inB]) {
      await server.create(to("/api/v1/namespaces"), { metadata: { name: "team" } });
      await server.create(to("/api/v1/namespaces/team/configmaps"), { metadata: { name: "kept" } });
    }
    await server.remove(inA("/api/v1/namespaces/team"));
    await server.until("it is gone", async () => (await server.get(inA("/api/v1/namespaces/team"))).code === 404);
    expect((await server.get(inA("/api/v1/namespaces/team/configmaps"))).body.items).toEqual([]);
    expect((await server.get(inB("/api/v1/namespaces/team/configmaps/kept"))).code).toBe(200);
    expect((await server.create(configMaps.replace("default", "team"), { metadata: { name: "x" } })).code).toBe(404);
  });

  it("have separate CRDs, which are deleted independently", async () => {
    for (const to of [inA, inB]) {
      await server.create(to("/apis/apiextensions.k8s.io/v1/customresourcedefinitions"), widgetDefinition);
      await server.until("it is served", async () => (await server.get(to(widgets("default")))).code === 200);
      await server.create(to(widgets("default")), {
        apiVersion: "example.com/v1",
        kind: "Widget",
        metadata: { name: "w" },
      });
    }
    expect((await server.get(widgets("default"))).code).toBe(404);
    await server.remove(
      inA(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${widgetDefinition.metadata.name}`),
    );
    await server.until("it is not served", async () => (await server.get(inA(widgets("default")))).code === 404);
    expect((await server.get(inB(widgets("default")))).body.items).toHaveLength(1);
  });

  it("have separate RBAC", async () => {
    await server.create(inA("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings"), {
      metadata: { name: "alice" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "alice" }],
    });
    const codes = [configMaps, inA(configMaps), inB(configMaps)].map(
      async (path) => (await server.get(path, users.alice)).code,
    );
    expect(await Promise.all(codes)).toEqual([403, 200, 403]);
  });

  it("have separate webhooks", async () => {
    await server.create(inA("/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"), {
      metadata: { name: "broken" },
      webhooks: [
        {
          name: "broken.example.com",
          clientConfig: { url: "https://127.0.0.1:1/" },
          rules: [{ apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"], operations: ["CREATE"] }],
          sideEffects: "None",
          admissionReviewVersions: ["v1"],
          failurePolicy: "Fail",
        },
      ],
    });
    const code = async (path: string): Promise<number> => (await server.create(path, { metadata: { name: "x" } })).code;
    expect([await code(configMaps), await code(inA(configMaps)), await code(inB(configMaps))]).toEqual([201, 500, 201]);
  });

  it("have no owners in other planes", async () => {
    const { body: owner } = await server.create(inA(configMaps), { metadata: { name: "owner" } });
    const reference = { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: owner.metadata.uid };
    await server.create(inB(configMaps), { metadata: { name: "stray", ownerReferences: [reference] } });
    await server.create(inA(configMaps), { metadata: { name: "owned", ownerReferences: [reference] } });
    const gone = async () => (await server.get(`${inB(configMaps)}/stray`)).code === 404;
    await server.until("the stray is collected", gone);
    expect((await server.get(`${inA(configMaps)}/owned`)).code).toBe(200);
  });

  it("cost nothing while they are unused", async () => {
    const { store } = server.server.registry;
    const before = [store.revision, server.clock.waiting, server.server.kinds.inPlane("a").all.length];
    const replies = [];
    for (let at = 0; at < 2_000; at += 1) replies.push(await server.get(`/planes/p${at}${configMaps}`));
    expect(new Set(replies.map(({ code }) => code))).toEqual(new Set([200]));
    expect([store.revision, server.clock.waiting, server.server.kinds.inPlane("a").all.length]).toEqual(before);
    expect(server.server.kinds.inPlane("p1")).toBe(server.server.kinds.inPlane("p2"));
  });

  describe("across all planes", () => {
    const make = (plane: string, name: string) =>
      server.create(`/planes/${plane}${configMaps}`, { metadata: { name } });

    it("lists are in order, each item with its plane", async () => {
      await make("b", "one");
      await make("a", "two");
      await make("a", "one");
      const { body, code } = await server.send({ path: "/api/v1/configmaps", allPlanes: true });
      expect(code).toBe(200);
      const names = body.items.map(
        (item: { metadata: { name: string } }, at: number) => `${body.planes[at]}/${item.metadata.name}`,
      );
      expect(names).toEqual(["a/one", "a/two", "b/one"]);
      expect(body.items[0].metadata).not.toHaveProperty("annotations");
    });

    it("list pages lose and repeat nothing", async () => {
      for (const plane of ["a", "b", "c"]) {
        await server.server.openPlane(plane);
        for (let at = 0; at < 5; at += 1) await make(plane, `object-${at}`);
      }
      const seen: string[] = [];
      for (let token = ""; ; ) {
        const path = `/api/v1/configmaps?limit=4&continue=${token}`;
        const { body } = await server.send({ path, allPlanes: true });
        seen.push(
          ...body.items.map(
            (item: { metadata: { name: string } }, at: number) => `${body.planes[at]}/${item.metadata.name}`,
          ),
        );
        token = body.metadata.continue ?? "";
        if (token === "") break;
      }
      const all = ["a", "b", "c"].flatMap((plane) => [0, 1, 2, 3, 4].map((at) => `${plane}/object-${at}`));
      expect(seen).toEqual(all);
    });

    it("one watch covers all planes and resumes from any revision", async () => {
      const { body: first } = await make("a", "before");
      const reader = await server.watch("/api/v1/configmaps?watch=true", { allPlanes: true });
      await make("b", "during");
      await make("a", "during");
      await server.remove(`${inA(configMaps)}/before`);
      await turnOfEvents();
      const events = reader.events.map(({ type, plane, object }) => `${type} ${plane}/${object.metadata.name}`);
      expect(events).toEqual(["ADDED a/before", "ADDED b/during", "ADDED a/during", "DELETED a/before"]);
      const resumed = await server.watch(
        `/api/v1/configmaps?watch=true&resourceVersion=${first.metadata.resourceVersion}`,
        { allPlanes: true },
      );
      expect(resumed.events).toEqual(reader.events.slice(1));
      const one = await server.watch(`${inA("/api/v1/configmaps")}?watch=true`);
      expect(one.events.every((event) => !("plane" in event))).toBe(true);
    });

    it("only in-process system:masters can list and watch, and not write", async () => {
      const path = "/api/v1/configmaps";
      const rejected = await server.send({ path, allPlanes: true, user: users.alice });
      expect(rejected.code).toBe(403);
      const unknown = await server.send({ path, allPlanes: true, user: "from headers" });
      expect(unknown.code).toBe(401);
      const write = { method: "POST", path: configMaps, body: { metadata: { name: "x" } }, allPlanes: true };
      expect((await server.send(write)).code).toBe(400);
      expect((await server.send({ method: "DELETE", path: configMaps, allPlanes: true })).code).toBe(400);
      const accept = "application/json;as=Table;g=meta.k8s.io;v=v1";
      expect((await server.send({ path, allPlanes: true, accept })).code).toBe(400);
    });
  });
});
