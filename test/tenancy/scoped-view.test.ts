import { rootPlane } from "@milo-quota/apiserver/embedded-server.ts";
import type { PlaneResolver } from "@milo-quota/apiserver/http/plane-path.ts";
import type { ScopedView } from "@milo-quota/apiserver/registry/kinds/kind-view.ts";
import { withMetadata } from "@milo-quota/apiserver/registry/metadata/metadata.ts";
import { failure } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { TestServer } from "../apiserver/test-server.ts";
import { users } from "../apiserver/test-users.ts";

type Names = { items: { metadata: { name: string; namespace?: string } }[] };

/** Webhook configurations with the team's label and objects in the namespace of the team. */
const viewOf = (team: string): ScopedView => ({
  name: `team/${team}`,
  of: ({ scope, plural }) => {
    if (scope === "Namespaced") return { namespace: team };
    if (plural !== "validatingwebhookconfigurations") return { isReadOnly: true };
    return {
      shows: ({ metadata }) => metadata.labels?.["team"] === team,
      adopt: (object) => withMetadata(object, { labels: { team, ...object.metadata.labels } }),
    };
  },
});

const resolvePlane: PlaneResolver = (path) => {
  const [, team, rest] = /^\/teams\/([a-z]+)(\/.*)$/.exec(path) ?? [];
  if (team === undefined || rest === undefined) return { plane: rootPlane, path };
  const closed = team === "closed" ? { unavailable: failure("NotFound", "no such team") } : {};
  return { plane: rootPlane, path: rest, view: viewOf(team), ...closed };
};

const hooks = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
const maps = (namespace: string): string => `/api/v1/namespaces/${namespace}/configmaps`;
const hook = (name: string, more: object = {}) => ({ metadata: { name, ...more }, webhooks: [] });
const names = (body: Names): string[] => body.items.map(({ metadata }) => metadata.name);

describe("a scoped view of a plane", () => {
  let server: TestServer;

  beforeEach(async () => {
    server = await TestServer.start({ resolvePlane });
    for (const team of ["red", "blue"]) {
      await server.create("/api/v1/namespaces", { metadata: { name: team } });
      await server.create(maps(team), { metadata: { name: `of-${team}` } });
      await server.create(hooks, hook(`of-${team}`, { labels: { team } }));
    }
    await server.settled();
  });

  afterEach(async () => {
    await server.stop();
    expect(server.faults).toEqual([]);
  });

  it("lists only its own objects, in one namespace and in all", async () => {
    expect(names((await server.get(`/teams/red${hooks}`)).body)).toEqual(["of-red"]);
    expect(names((await server.get(`/teams/red${maps("red")}`)).body)).toContain("of-red");
    expect(names((await server.get(`/teams/red${maps("blue")}`)).body)).toEqual([]);
    const all = (await server.get("/teams/red/api/v1/configmaps")).body as Names;
    expect(new Set(all.items.map(({ metadata }) => metadata.namespace))).toEqual(new Set(["red"]));
  });

  it("pages through its own objects without revealing the number of others", async () => {
    for (let at = 0; at < 4; at += 1) await server.create(`/teams/red${hooks}`, hook(`more-${at}`));
    const first = (await server.get(`/teams/red${hooks}?limit=3`)).body;
    expect([names(first), first.metadata.remainingItemCount]).toEqual([["more-0", "more-1", "more-2"], undefined]);
    const rest = await server.get(`/teams/red${hooks}?limit=3&continue=${first.metadata.continue}`);
    expect(names(rest.body)).toEqual(["more-3", "of-red"]);
  });

  it("watches only its own objects, and sends objects that enter or leave it as added or deleted", async () => {
    const reader = await server.watch(`/teams/red${hooks}?watch=true`);
    await server.merge(`${hooks}/of-blue`, { metadata: { annotations: { seen: "no" } } });
    await server.merge(`${hooks}/of-blue`, { metadata: { labels: { team: "red" } } });
    await server.merge(`${hooks}/of-red`, { metadata: { labels: { team: "blue" } } });
    await server.remove(`${hooks}/of-red`);
    await server.settled();
    const response = reader.events.map(({ type, object }) => `${type} ${object.metadata.name}`);
    expect(response).toEqual(["ADDED of-red", "ADDED of-blue", "DELETED of-red"]);
    const maps = await server.watch("/teams/red/api/v1/configmaps?watch=true");
    expect(new Set(maps.events.map(({ object }) => object.metadata.namespace))).toEqual(new Set(["red"]));
  });

  const others: Record<string, (at: string) => Promise<{ code: number }>> = {
    read: (at) => server.get(at),
    replaced: (at) => server.replace(at, hook("of-blue")),
    patched: (at) => server.merge(at, { metadata: { labels: { team: "red" } } }),
    deleted: (at) => server.remove(at),
  };
  for (const [done, act] of Object.entries(others)) {
    it(`prevents objects of others from being ${done}`, async () => {
      const before = server.server.registry.store.revision;
      expect((await act(`/teams/red${hooks}/of-blue`)).code).toBe(404);
      expect((await act(`/teams/red${maps("blue")}/of-blue`)).code).toBe(404);
      expect(server.server.registry.store.revision).toBe(before);
    });
  }

  it("deletes only its own objects with deletecollection", async () => {
    expect((await server.remove(`/teams/red${hooks}`)).code).toBe(200);
    expect((await server.remove(`/teams/red${maps("blue")}`)).code).toBe(200);
    expect((await server.get(`${hooks}/of-red`)).code).toBe(404);
    expect((await server.get(`${hooks}/of-blue`)).code).toBe(200);
    expect((await server.get(`${maps("blue")}/of-blue`)).code).toBe(200);
  });

  it("marks created objects as its own and rejects objects that are marked as another's", async () => {
    const created = await server.create(`/teams/red${hooks}`, hook("new"));
    expect([created.code, created.body.metadata.labels]).toEqual([201, { team: "red" }]);
    const rejected = await server.create(`/teams/red${hooks}`, hook("theirs", { labels: { team: "blue" } }));
    expect(rejected.code).toBe(403);
    expect((await server.create(`/teams/red${maps("blue")}`, { metadata: { name: "x" } })).code).toBe(403);
    const applied = await server.send({
      method: "PATCH",
      path: `/teams/red${hooks}/applied?fieldManager=test`,
      type: "application/apply-patch+yaml",
      body: {
        apiVersion: "admissionregistration.k8s.io/v1",
        kind: "ValidatingWebhookConfiguration",
        ...hook("applied"),
      },
    });
    expect([applied.code, applied.body.metadata.labels]).toEqual([201, { team: "red" }]);
  });

  it("prevents moving objects to another view and taking over existing names", async () => {
    const moved = await server.merge(`/teams/red${hooks}/of-red`, { metadata: { labels: { team: "blue" } } });
    expect(moved.code).toBe(403);
    expect((await server.create(`/teams/red${hooks}`, hook("of-blue"))).code).toBe(409);
    const applied = await server.send({
      method: "PATCH",
      path: `/teams/red${hooks}/of-blue?fieldManager=test&force=true`,
      type: "application/apply-patch+yaml",
      body: {
        apiVersion: "admissionregistration.k8s.io/v1",
        kind: "ValidatingWebhookConfiguration",
        ...hook("of-blue"),
      },
    });
    expect(applied.code).toBe(409);
    expect((await server.get(`${hooks}/of-blue`)).body.metadata.labels).toEqual({ team: "blue" });
  });

  it("shows shared objects read-only", async () => {
    const role = "/teams/red/apis/rbac.authorization.k8s.io/v1/clusterroles/view";
    expect((await server.get(role)).code).toBe(200);
    expect((await server.merge(role, { metadata: { labels: { x: "y" } } })).code).toBe(403);
    expect((await server.remove(role)).code).toBe(403);
    expect((await server.create("/teams/red/api/v1/namespaces", { metadata: { name: "x" } })).code).toBe(403);
    expect((await server.remove("/teams/red/apis/rbac.authorization.k8s.io/v1/clusterroles")).code).toBe(403);
  });

  it("has the discovery of the plane and no access to other planes", async () => {
    const [there, here] = [await server.get("/apis"), await server.get("/teams/red/apis")];
    expect(here.body).toEqual(there.body);
    const all = await server.send({ path: "/teams/red/api/v1/configmaps", allPlanes: true });
    expect(all.code).toBe(400);
  });

  it("that does not exist is reported as such only to users with access", async () => {
    const path = `/teams/closed${hooks}`;
    const response = await server.get(path);
    expect([response.code, response.body.message]).toEqual([404, "no such team"]);
    expect((await server.get(path, users.alice)).code).toBe(403);
    expect((await server.get(path, "from headers")).code).toBe(401);
  });
});
