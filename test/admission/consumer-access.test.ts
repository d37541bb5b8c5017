import { type EmbeddedServer, startEmbedded } from "@milo-quota/apiserver/embedded-server.ts";
import { MemoryLog } from "@milo-quota/apiserver/storage/log/memory-log.ts";
import { systemClock } from "@milo-quota/apiserver/system-clock.ts";
import { KubeClient } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import { directTransport } from "@milo-quota/kubernetes/client/transport/direct-transport.ts";
import { FakeClock } from "@milo-quota/kubernetes/protocol/fake-clock.ts";
import { type AccessQuestion, ConsumerAccess } from "@milo-quota/quota/admission/quota-kinds/rights/consumer-access.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemUser, TestWorld } from "./test-world.ts";

const rbac = "/apis/rbac.authorization.k8s.io/v1";
const { signal } = new AbortController();
const question: AccessQuestion = {
  user: { username: "crm", uid: "7", groups: ["services"], extra: { scope: ["a"] } },
  plane: "root",
  verb: "claim",
  group: "",
  resource: "namespaces",
  namespace: "team",
  name: "team",
};

let server: EmbeddedServer;
let world: TestWorld;
let clock: FakeClock;
let access: ConsumerAccess;
let asked: unknown[];

beforeEach(async () => {
  asked = [];
  server = await startEmbedded({ log: new MemoryLog("turn"), clock: systemClock, tokens: [], report: () => undefined });
  world = new TestWorld(server);
  clock = new FakeClock(1_000);
  const transport = directTransport(async (request) => {
    asked.push(JSON.parse(String(await request.body())));
    return server.api.handle(request);
  }, systemUser);
  access = new ConsumerAccess(() => new KubeClient(transport), clock);
});

afterEach(() => server.stop());

const ask = (more: Partial<AccessQuestion> = {}): Promise<boolean> =>
  access.isAllowed({ ...question, ...more }, signal);

async function allow(): Promise<void> {
  const head = { apiVersion: "rbac.authorization.k8s.io/v1", metadata: { name: "claimant" } };
  const rules = [{ apiGroups: [""], resources: ["namespaces"], resourceNames: ["team"], verbs: ["claim"] }];
  const subjects = [{ kind: "Group", name: "services", apiGroup: "rbac.authorization.k8s.io" }];
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "claimant" };
  const post = { method: "POST" } as const;
  await world.request({ ...post, path: `${rbac}/clusterroles`, body: { ...head, kind: "ClusterRole", rules } });
  const body = { ...head, kind: "ClusterRoleBinding", subjects, roleRef };
  await world.request({ ...post, path: `${rbac}/clusterrolebindings`, body });
}

describe("rights on a consumer", () => {
  it("are asked for with all that is known of the user", async () => {
    expect(await ask()).toBe(false);
    expect(asked).toMatchObject([
      {
        kind: "SubjectAccessReview",
        spec: {
          user: "crm",
          uid: "7",
          groups: ["services"],
          extra: { scope: ["a"] },
          resourceAttributes: { verb: "claim", group: "", resource: "namespaces", namespace: "team", name: "team" },
        },
      },
    ]);
    await allow();
    expect(await ask({ verb: "grant" })).toBe(false);
    expect(await ask({ user: { ...question.user, username: "other" } })).toBe(true);
  });

  it("are cached for 10 seconds, whatever the answer is", async () => {
    expect(await ask()).toBe(false);
    await allow();
    clock.advance(9_999);
    expect([await ask(), asked.length]).toEqual([false, 1]);
    clock.advance(1);
    expect([await ask(), asked.length]).toEqual([true, 2]);
    expect([await ask(), asked.length]).toEqual([true, 2]);
  });

  it("are cached for a bounded number of questions", async () => {
    for (let at = 0; at < 1_001; at += 1) await ask({ name: `team-${at}` });
    expect(asked).toHaveLength(1_001);
    await ask({ name: "team-1000" });
    expect(asked).toHaveLength(1_001);
    await ask({ name: "team-0" });
    expect(asked).toHaveLength(1_002);
  });

  it("are not cached for a user with very many groups", async () => {
    const groups = Array.from({ length: 500 }, (_, at) => `group-${at}`);
    const user = { ...question.user, groups };
    await ask({ user });
    await ask({ user });
    expect(asked).toHaveLength(2);
  });
});
