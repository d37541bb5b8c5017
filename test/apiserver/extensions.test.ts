import { tokenTable } from "@milo-quota/apiserver/http/access/authentication/token-table.ts";
import type { AdmissionPlugin, Verdict } from "@milo-quota/apiserver/registry/admission/admission-plugin.ts";
import { resourceForbidden } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { afterEach, beforeEach, expect, it } from "vitest";
import { TestServer } from "./test-server.ts";
import { userNamed, users } from "./test-users.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";
const rulesReviews = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews";
const requested: string[] = [];
let server: TestServer;

beforeEach(async () => {
  requested.length = 0;
  server = await TestServer.start({ plugins: [plugin("first", { allowed: true })] });
});
afterEach(() => server.stop());

function plugin(name: string, verdict: Verdict): AdmissionPlugin {
  return {
    name,
    validate: async () => {
      requested.push(name);
      return verdict;
    },
  };
}

it("calls a plug-in that was added to a running server after the configured ones", async () => {
  const status = resourceForbidden({ group: "", resource: "configmaps" }, "b", "the second says no");
  expect((await server.create(configMaps, { metadata: { name: "a" } })).code).toBe(201);
  requested.length = 0;
  server.server.extend({ plugins: [plugin("second", { allowed: false, status })] });
  expect((await server.create(configMaps, { metadata: { name: "b" } })).code).toBe(403);
  expect(requested).toEqual(["first", "second"]);
});

it("uses added authenticators and authorizers, and marks rules reviews as incomplete", async () => {
  const review = { spec: { namespace: "default" } };
  const get = () =>
    server.send({ path: configMaps, user: "from headers", headers: { authorization: ["Bearer of-carol"] } });
  expect((await get()).code).toBe(401);
  expect((await server.create(rulesReviews, review)).body.status.incomplete).toBe(false);
  server.server.extend({ tokens: [tokenTable([{ token: "of-carol", user: userNamed("carol") }])] });
  expect((await get()).code).toBe(403);
  const isCarol = (name: string) => ({
    outcome: name === "carol" ? ("allow" as const) : ("none" as const),
    reason: "",
  });
  server.server.extend({ authorizers: [{ authorize: async ({ user }) => isCarol(user.username) }] });
  expect((await get()).code).toBe(200);
  expect((await server.get(configMaps, users.alice)).code).toBe(403);
  expect((await server.create(rulesReviews, review)).body.status.incomplete).toBe(true);
});

it("resolves planes by the resolver that was added last", async () => {
  server.server.extend({ resolvePlane: (path) => (path === "/nowhere" ? undefined : { plane: "other", path }) });
  expect((await server.get("/api/v1/namespaces/default")).code).toBe(404);
  await server.server.openPlane("other");
  expect((await server.get("/api/v1/namespaces/default")).code).toBe(200);
  server.server.extend({});
  expect((await server.get("/nowhere")).code).toBe(404);
});
