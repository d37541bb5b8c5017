import { ConnectionFailed } from "@milo-quota/kubernetes/client/transport/transport.ts";
import { resourceClaimDefinition } from "@milo-quota/quota/core/resources/resource-claim.ts";
import {
  claimPoliciesType,
  claimsType,
  grantPoliciesType,
  grantsType,
  registrationsType,
} from "@milo-quota/quota/views/quota-types.ts";
import { afterEach, describe, expect, it } from "vitest";
import { claim, cpu, grant, grantPolicy, project, registration, tenant, typeOf } from "./manifests.ts";
import { prefixOf } from "./project-planes.ts";
import { conditionOf, type Json, TestSystem } from "./test-system.ts";

const web = project("web");
const shop = project("shop");

let system: TestSystem;

afterEach(() => system.stop());

async function start(options: Parameters<typeof TestSystem.start>[0] = {}): Promise<void> {
  system = await TestSystem.start({ projects: ["web", "shop"], ...options });
  await system.create(registrationsType, registration(cpu, { type: "Allocation", consumerType: typeOf(web) }));
}

const give = (plane: string): Promise<Json> =>
  system.create(grantsType, grant("base", project(plane), { [cpu]: 1_000 }), { plane });
const createClaim = (name: string, plane: string): Promise<Json> =>
  system.create(claimsType, claim(name, project(plane), [{ resourceType: cpu, amount: 1 }]), { plane });
const isGranted = (name: string, plane: string): Promise<void> =>
  system.eventually(async () => expect(await system.answer(name, { plane })).toBe("True QuotaAvailable"));

describe("one broken policy", () => {
  const broken: Record<string, Json> = {
    "an expression that does not compile": grantPolicy("broken", {
      trigger: { constraints: [{ expression: "trigger.spec.tier ==" }] },
    }),
    "a kind that does not exist": grantPolicy("broken", {
      trigger: { resource: { apiVersion: "nothing.example.com/v1", kind: "Nothing" } },
    }),
    "an unregistered resource type": grantPolicy("broken", {
      template: {
        metadata: { namespace: "default" },
        spec: {
          consumerRef: { ...typeOf(web), name: "{{ trigger.metadata.name }}" },
          allowances: [{ resourceType: "unheard.example.com/of", buckets: [{ amount: 1 }] }],
        },
      },
    }),
    "an expression that fails for every object": grantPolicy("broken", {
      trigger: { constraints: [{ expression: "int(trigger.metadata.name) > 0" }] },
    }),
    "a namespace that does not exist": grantPolicy("broken", {
      template: {
        metadata: { namespace: "nowhere" },
        spec: {
          consumerRef: { ...typeOf(web), name: "{{ trigger.metadata.name }}" },
          allowances: [{ resourceType: cpu, buckets: [{ amount: 1 }] }],
        },
      },
    }),
  };

  for (const [fault, policy] of Object.entries(broken)) {
    it(`with ${fault} does not block other policies`, async () => {
      await start();
      const projects = await system.define("Project", "projects");
      await system.create(grantPoliciesType, policy);
      await system.create(grantPoliciesType, grantPolicy("premium"));
      await system.create(projects, tenant("Project", "web", { tier: "premium" }));
      await system.eventually(async () => expect(await system.figures(web, cpu)).toMatchObject({ limit: 10_000 }));
      await createClaim("one", "web");
      await isGranted("one", "web");
      expect(conditionOf(await system.find(grantPoliciesType, "premium"), "Ready")?.reason).toBe("PolicyReady");
    });
  }

  it("reports all errors and works once it is fixed", async () => {
    await start();
    const projects = await system.define("Project", "projects");
    await system.create(projects, tenant("Project", "web", { tier: "premium" }));
    const wrong = [{ expression: "trigger.spec.tier ==" }, { expression: "1 + 1" }];
    await system.create(grantPoliciesType, grantPolicy("broken", { trigger: { constraints: wrong } }));
    await system.eventually(async () => {
      const condition = conditionOf(await system.find(grantPoliciesType, "broken"), "Ready");
      expect(condition).toMatchObject({ status: "False", reason: "ValidationFailed" });
      expect(condition?.message).toContain("spec.trigger.constraints[0]");
      expect(condition?.message).toContain("spec.trigger.constraints[1]");
    });
    await system.patch(grantPoliciesType, "broken", { spec: { trigger: { constraints: [{ expression: "true" }] } } });
    await system.eventually(async () => expect(await system.figures(web, cpu)).toMatchObject({ limit: 10_000 }));
  });

  it("for claims does not block decisions", async () => {
    await start();
    await system.create(claimPoliciesType, {
      apiVersion: "quota.miloapis.com/v1alpha1",
      kind: "ClaimCreationPolicy",
      metadata: { name: "broken" },
      spec: {
        trigger: { resource: { apiVersion: "v1", kind: "ConfigMap" }, constraints: [{ expression: "trigger.(" }] },
        target: {
          resourceClaimTemplate: {
            spec: {
              consumerRef: { ...typeOf(web), name: "web" },
              requests: [{ resourceType: cpu, amount: 1 }],
            },
          },
        },
      },
    });
    await give("web");
    await createClaim("one", "web");
    await isGranted("one", "web");
    await system.eventually(async () => {
      const policy = await system.find(claimPoliciesType, "broken");
      expect(conditionOf(policy, "Ready")?.reason).toBe("ValidationFailed");
    });
  });
});

describe("one broken CRD", () => {
  it("of a trigger kind that is deleted and recreated does not block anything else", async () => {
    await start();
    const projects = await system.define("Project", "projects");
    const teams = await system.define("Team", "teams");
    const resource = { apiVersion: "resourcemanager.miloapis.com/v1alpha1", kind: "Team" };
    const expression = 'trigger.spec.tier == "premium"';
    await system.create(
      grantPoliciesType,
      grantPolicy("teams", { trigger: { resource, constraints: [{ expression }] } }),
    );
    await system.create(grantPoliciesType, grantPolicy("premium"));
    const team = { ...tenant("Project", "shop", { tier: "premium" }), kind: "Team" };
    await system.create(teams, team);
    await system.eventually(async () => expect(await system.figures(shop, cpu)).toMatchObject({ limit: 10_000 }));
    await system.undefine(teams);
    await system.create(projects, tenant("Project", "web", { tier: "premium" }));
    await system.eventually(async () => expect(await system.figures(web, cpu)).toMatchObject({ limit: 10_000 }));
    await createClaim("one", "web");
    await isGranted("one", "web");
    await system.eventually(async () => expect(await system.figures(shop, cpu)).toBeUndefined());
    await system.define("Team", "teams");
    await system.create(teams, team);
    await system.eventually(async () => expect(await system.figures(shop, cpu)).toMatchObject({ limit: 10_000 }));
  });

  it("of a quota kind that accepts invalid objects does not block other claims and planes", async () => {
    await start();
    for (const plane of ["web", "shop"]) await give(plane);
    await createClaim("before", "shop");
    await isGranted("before", "shop");
    await system.defineAnything(resourceClaimDefinition, "shop");
    const { spec: _, ...empty } = claim("garbage", shop, []);
    await system.create(claimsType, { ...empty, spec: "not at all" }, { plane: "shop" });
    await createClaim("another", "shop");
    await createClaim("elsewhere", "web");
    await isGranted("elsewhere", "web");
    await isGranted("another", "shop");
    expect(system.reported.filter((what) => what.includes("garbage"))).not.toEqual([]);
    await system.eventually(async () => expect(await system.figures(shop, cpu)).toMatchObject({ allocated: 2 }));
  });
});

describe("one plane", () => {
  it("that rejects all requests does not delay other planes, and is served when it is back", async () => {
    let isDead = false;
    await start({
      intercept: ({ path, method }) => {
        if (!isDead || !path.startsWith(prefixOf("shop"))) return undefined;
        return Promise.reject(new ConnectionFailed({ method, path }, "the plane is dead"));
      },
    });
    await give("web");
    await give("shop");
    await createClaim("before", "shop");
    await isGranted("before", "shop");
    isDead = true;
    await createClaim("waits", "shop");
    for (let at = 0; at < 20; at += 1) await createClaim(`goes-on-${at}`, "web");
    for (let at = 0; at < 20; at += 1) await isGranted(`goes-on-${at}`, "web");
    expect(await system.answer("waits", { plane: "shop" })).toBe("False PendingEvaluation");
    isDead = false;
    await isGranted("waits", "shop");
  });

  it("that never answers does not delay other planes", async () => {
    let isSilent = false;
    const held: (() => void)[] = [];
    await start({
      intercept: async ({ path }) => {
        if (isSilent && path.startsWith(prefixOf("shop"))) await new Promise<void>((resolve) => held.push(resolve));
      },
    });
    await give("web");
    await give("shop");
    isSilent = true;
    for (let at = 0; at < 20; at += 1) await createClaim(`waits-${at}`, "shop");
    for (let at = 0; at < 20; at += 1) await createClaim(`goes-on-${at}`, "web");
    for (let at = 0; at < 20; at += 1) await isGranted(`goes-on-${at}`, "web");
    isSilent = false;
    for (const go of held.splice(0)) go();
    for (let at = 0; at < 20; at += 1) await isGranted(`waits-${at}`, "shop");
  });

  it("that is closed is forgotten, and a new one of the same name is empty", async () => {
    await start();
    await give("web");
    await give("shop");
    await createClaim("one", "shop");
    await isGranted("one", "shop");
    await system.server.closePlane("shop");
    await createClaim("other", "web");
    await isGranted("other", "web");
    await system.server.openPlane("shop");
    await createClaim("again", "shop");
    await system.eventually(async () =>
      expect(await system.answer("again", { plane: "shop" })).toBe("False QuotaExceeded"),
    );
    await give("shop");
    await system.eventually(async () =>
      expect(await system.figures(shop, cpu)).toMatchObject({ limit: 1_000, allocated: 0, claimCount: 0 }),
    );
  });
});
