import type { UserInfo } from "@milo-quota/kubernetes/protocol/user-info.ts";
import { grantsType } from "@milo-quota/quota/views/quota-types.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AdmissionWorld } from "./admission-world.ts";
import { namespacesType } from "./object-types.ts";
import { configMapKind, grant, registerAndGrant } from "./quota-objects.ts";
import type { ApiResponse, Json, TestWorld } from "./test-world.ts";
import { WebhookWorld } from "./webhook-world.ts";

const rbac = "/apis/rbac.authorization.k8s.io/v1";
const apiGroup = "rbac.authorization.k8s.io";
const type = "core/configmaps";

const service: UserInfo = {
  username: "system:serviceaccount:team-x:crm",
  uid: "1",
  groups: ["system:serviceaccounts"],
  extra: {},
};
const master: UserInfo = { username: "root", uid: "", groups: ["system:masters"], extra: {} };
const [teamX, teamC, defaults] = ["team-x", "team-c", "default"].map((name) => ({ kind: "Namespace", name }));
const acme = { apiGroup: "resourcemanager.miloapis.com", kind: "Organization", name: "acme" };

const path = (plural: string, namespace: string): string =>
  `/apis/quota.miloapis.com/v1alpha1/namespaces/${namespace}/${plural}`;

const claim = (name: string, consumerRef: unknown): Json => ({
  apiVersion: "quota.miloapis.com/v1alpha1",
  kind: "ResourceClaim",
  metadata: { name },
  spec: { consumerRef, requests: [{ resourceType: type, amount: 1 }] },
});

const grantFor = (name: string, consumerRef: unknown, amount = 1): Json => ({
  ...grant(name, type, amount, { consumerRef }),
  metadata: { name },
});

let world: TestWorld & { stop(): Promise<void> };
afterEach(() => world.stop());

/** A service account that may write all claims and grants of namespace team-x. */
async function prepare(): Promise<void> {
  for (const name of ["team-x", "team-c"]) {
    await world.create(namespacesType, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  }
  await registerAndGrant(world, type, configMapKind, 3);
  const rules = [{ apiGroups: ["quota.miloapis.com"], resources: ["*"], verbs: ["*"] }];
  await write("clusterroles", { kind: "ClusterRole", metadata: { name: "quota" }, rules });
  await bind("quota", "team-x");
}

async function write(plural: string, object: Json, namespace = ""): Promise<void> {
  const body = { apiVersion: `${apiGroup}/v1`, ...object };
  const at = namespace === "" ? `${rbac}/${plural}` : `${rbac}/namespaces/${namespace}/${plural}`;
  expect((await world.request({ method: "POST", path: at, body })).code).toBe(201);
}

async function bind(role: string, namespace = ""): Promise<void> {
  const [plural, kind] =
    namespace === "" ? ["clusterrolebindings", "ClusterRoleBinding"] : ["rolebindings", "RoleBinding"];
  const roleRef = { apiGroup, kind: "ClusterRole", name: role };
  await write(
    plural,
    { kind, metadata: { name: role }, roleRef, subjects: [{ kind: "User", name: service.username, apiGroup }] },
    namespace,
  );
}

/** The rule that a rejection proposes, as it is. */
async function addProposedRule({ message }: ApiResponse): Promise<void> {
  const [rule = ""] = /\{.*\}/.exec(message) ?? [];
  await write("clusterroles", { kind: "ClusterRole", metadata: { name: "proposed" }, rules: [JSON.parse(rule)] });
  await bind("proposed");
}

const post = (plural: string, body: Json, { user = service, namespace = "team-x", dryRun = false } = {}) =>
  world.request({
    method: "POST",
    path: path(plural, namespace),
    body,
    user,
    ...(dryRun ? { query: { dryRun: "All" } } : {}),
  });

describe("a service account with rights in one namespace", () => {
  beforeEach(async () => {
    world = await AdmissionWorld.start();
    await prepare();
  });

  it("claims and grants for the namespace itself", async () => {
    expect(await post("resourceclaims", claim("own", teamX))).toMatchObject({ code: 201, warnings: [] });
    expect(await post("resourcegrants", grantFor("own", teamX))).toMatchObject({ code: 201, warnings: [] });
  });

  const others: Record<string, [plural: string, object: Json, verb: string, resource: string]> = {
    "claims for another namespace": ["resourceclaims", claim("theirs", teamC), "claim", 'namespaces "team-c"'],
    "grants for another namespace": ["resourcegrants", grantFor("theirs", teamC), "grant", 'namespaces "team-c"'],
    "grants for a consumer of a kind that is not served": [
      "resourcegrants",
      grantFor("theirs", acme),
      "grant",
      '*.resourcemanager.miloapis.com "acme"',
    ],
  };
  for (const [name, [plural, object, verb, resource]] of Object.entries(others)) {
    it(`needs a verb on the consumer: ${name} are rejected, and the message says what to do`, async () => {
      for (const dryRun of [true, false]) {
        const rejected = await post(plural, object, { dryRun });
        expect([rejected.code, rejected.body["reason"]]).toEqual([403, "Forbidden"]);
        expect(rejected.message).toContain(`user "${service.username}" lacks the verb "${verb}" on ${resource}`);
      }
      const fresh = { ...service, uid: "asked anew, because answers are cached" };
      await addProposedRule(await post(plural, object));
      expect(await post(plural, object, { user: fresh })).toMatchObject({ code: 201 });
    });
  }

  it("may hold the verb by a RoleBinding in the other namespace", async () => {
    const rules = [{ apiGroups: [""], resources: ["namespaces"], verbs: ["claim"] }];
    await write("clusterroles", { kind: "ClusterRole", metadata: { name: "claimant" }, rules });
    await bind("claimant", "team-c");
    expect(await post("resourceclaims", claim("theirs", teamC))).toMatchObject({ code: 201 });
    expect(await post("resourceclaims", claim("default", defaults))).toMatchObject({ code: 403 });
  });

  it("may change labels of a grant for another namespace, but neither its amounts nor its consumer", async () => {
    await world.create(grantsType, { ...grantFor("given", teamC), metadata: { name: "given", namespace: "team-x" } });
    const patch = async (body: Json, dryRun = false): Promise<number> => {
      const type = "application/merge-patch+json";
      const query: Record<string, string> = dryRun ? { dryRun: "All" } : {};
      const at = `${path("resourcegrants", "team-x")}/given`;
      return (await world.request({ method: "PATCH", path: at, body, type, query, user: service })).code;
    };
    expect(await patch({ metadata: { labels: { a: "b" } } })).toBe(200);
    const [more, taken] = [grantFor("given", teamC, 9)["spec"], grantFor("given", teamX)["spec"]];
    expect([await patch({ spec: more }), await patch({ spec: taken }), await patch({ spec: more }, true)]).toEqual([
      403, 403, 403,
    ]);
  });

  it("is not needed by system:masters", async () => {
    expect(await post("resourceclaims", claim("theirs", teamC), { user: master })).toMatchObject({ code: 201 });
  });

  it("does not own the system namespace", async () => {
    await bind("quota", "milo-system");
    const system = { kind: "Namespace", name: "milo-system" };
    expect(await post("resourcegrants", grantFor("own", system), { namespace: "milo-system" })).toMatchObject({
      code: 403,
    });
  });
});

describe("behind a webhook", () => {
  it("the same rights are needed", async () => {
    const started = await WebhookWorld.start(1);
    world = started;
    await started.routeTo(0, []);
    await prepare();
    expect((await post("resourceclaims", claim("own", teamX))).code).toBe(201);
    for (const dryRun of [true, false]) {
      const rejected = await post("resourceclaims", claim("theirs", teamC), { dryRun });
      expect([rejected.code, rejected.message]).toEqual([403, expect.stringContaining('lacks the verb "claim"')]);
    }
    expect((await post("resourcegrants", grantFor("theirs", teamC))).code).toBe(403);
  });
});
