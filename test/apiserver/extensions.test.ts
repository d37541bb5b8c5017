import { tokenTable } from "@milo-quota/apiserver/http/access/authentication/token-table.ts";
import type { AdmissionPlugin, Verdict } from "@milo-quota/apiserver/registry/admission/admission-plugin.ts";
import { forbiddenTo } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { afterEach, beforeEach, expect, it } from "vitest";
import { TestServer } from "./test-server.ts";
import { userNamed, users } from "./test-users.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";
const rulesReviews = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews";
const asked: string[] = [];
let server: TestServer;

beforeEach(async () => {
  asked.length = 0;
  server = await TestServer.start({ plugins: [plugin("first", { allowed: true })] });
});
afterEach(() => server.stop());

function plugin(name: string, verdict: Verdict): AdmissionPlugin {
  return {
    name,
    validate: async () => {
      asked.push(name);
      return verdict;
    },
  };
}

it("asks a plug-in that was added to a built server, after those it was built with", async () => {
  const status = forbiddenTo({ group: "", resource: "configmaps" }, "b", "the second says no");
  expect((await server.create(configMaps, { metadata: { name: "a" } })).code).toBe(201);
  asked.length = 0;
  server.server.extend({ plugins: [plugin("second", { allowed: false, status })] });
  expect((await server.create(configMaps, { metadata: { name: "b" } })).code).toBe(403);
  expect(asked).toEqual(["first", "second"]);
});

it("believes tokens and authorizers that were added, and says that not all rights are listed", async () => {
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

it("finds planes by the resolver that was added last", async () => {
  server.server.extend({ resolvePlane: (path) => (path === "/nowhere" ? undefined : { plane: "other", path }) });
  expect((await server.get("/api/v1/namespaces/default")).code).toBe(404);
  await server.server.openPlane("other");
  expect((await server.get("/api/v1/namespaces/default")).code).toBe(200);
  server.server.extend({});
  expect((await server.get("/nowhere")).code).toBe(404);
});
