import { bucketsType, grantsType, registrationsType } from "@milo-quota/quota/views/quota-types.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AdmissionWorld } from "./admission-world.ts";
import { namespacesType } from "./object-types.ts";
import { configMapKind, enforce, grant, policy, provide, registration } from "./quota-objects.ts";
import { eventually, type Json, signal, type Told } from "./served-world.ts";

let world: AdmissionWorld;
const group = "/apis/quota.miloapis.com/v1alpha1";
const claims = `${group}/namespaces/default/resourceclaims`;
const policies = `${group}/claimcreationpolicies`;
const staff = { username: "eve", uid: "1", groups: ["staff"], extra: {} };

beforeEach(async () => {
  world = await AdmissionWorld.start();
  await provide(world, "core/configmaps", configMapKind, 3);
  await allowStaff();
});

afterEach(async () => {
  await world.stop();
  expect(world.faults).toEqual([]);
});

/** Everything, by their rights: what is refused is refused by admission. */
async function allowStaff(): Promise<void> {
  const name = "staff";
  const rbac = "/apis/rbac.authorization.k8s.io/v1";
  const head = { apiVersion: "rbac.authorization.k8s.io/v1", metadata: { name } };
  const subjects = [{ kind: "Group", name: "staff", apiGroup: "rbac.authorization.k8s.io" }];
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" };
  const body = { ...head, kind: "ClusterRoleBinding", subjects, roleRef };
  expect((await world.ask({ method: "POST", path: `${rbac}/clusterrolebindings`, body })).code).toBe(201);
}

const claim = (spec: Json = {}, metadata: Json = {}): Json => ({
  apiVersion: "quota.miloapis.com/v1alpha1",
  kind: "ResourceClaim",
  metadata: { name: "by-hand", namespace: "default", ...metadata },
  spec: {
    consumerRef: { kind: "Namespace", name: "default" },
    requests: [{ resourceType: "core/configmaps", amount: 1 }],
    ...spec,
  },
});

const post = (path: string, body: Json, user = staff): Promise<Told> => world.ask({ method: "POST", path, body, user });
const fieldsIn = ({ body }: Told): readonly string[] =>
  ((body["details"] as { causes?: { field: string }[] } | undefined)?.causes ?? []).map(({ field }) => field);

describe("a claim made by hand", () => {
  it("is taken when nothing is wrong with it", async () => {
    expect(await post(claims, claim())).toMatchObject({ code: 201, warnings: [] });
  });

  const cases: Record<string, [spec: Json, fields: readonly string[]]> = {
    "asks for something": [{ requests: [{ resourceType: "core/configmaps", amount: 0 }] }, ["spec.requests[0].amount"]],
    "asks for what is registered": [
      { requests: [{ resourceType: "core/unheard-of", amount: 1 }] },
      ["spec.requests[0].resourceType"],
    ],
    "is for a consumer of the right kind": [{ consumerRef: { kind: "Node", name: "n" } }, ["spec.consumerRef"]],
    "is for an object that may claim": [
      { resourceRef: { kind: "Secret", name: "s", namespace: "default" } },
      ["spec.resourceRef"],
    ],
    "has the dimensions of what it asks for": [
      {
        requests: [{ resourceType: "core/configmaps", amount: 1, dimensions: { color: "red" } }],
      },
      ["spec.requests[0].dimensions"],
    ],
    "is told everything at once": [
      {
        requests: [
          { resourceType: "core/configmaps", amount: 0 },
          { resourceType: "core/unheard-of", amount: 1 },
        ],
      },
      ["spec.requests[0].amount", "spec.requests[1].resourceType"],
    ],
  };
  for (const [name, [spec, fields]] of Object.entries(cases)) {
    it(name, async () => {
      const told = await post(claims, claim(spec));
      expect([told.code, told.body["reason"]]).toEqual([422, "Invalid"]);
      expect(fieldsIn(told)).toEqual(fields);
    });
  }

  it("is not refused for a registration that was made just now", async () => {
    for (let at = 0; at < 10; at += 1) {
      const type = `core/new-${at}`;
      await world.create(registrationsType, registration(type, [configMapKind]));
      await eventually(async () => {
        const found = await world.resource(registrationsType).get({ name: `core-new-${at}` }, signal);
        expect(JSON.stringify(found)).toContain("RegistrationActive");
      });
      const body = claim({ requests: [{ resourceType: type, amount: 1 }] }, { name: `new-${at}` });
      expect((await post(claims, body)).code).toBe(201);
    }
  });

  const marks: Record<string, [metadata: Json, field: string]> = {
    "does not pretend to be automatic": [
      { labels: { "quota.miloapis.com/auto-created": "true" } },
      "metadata.labels[quota.miloapis.com/auto-created]",
    ],
    "does not pretend to be made by admission": [
      { annotations: { "quota.miloapis.com/created-by": "claim-creation-plugin" } },
      "metadata.annotations[quota.miloapis.com/created-by]",
    ],
    "does not say which policy wants it": [
      { annotations: { "quota.miloapis.com/policy": "things" } },
      "metadata.annotations[quota.miloapis.com/policy]",
    ],
    "does not say for which objects it is": [
      { annotations: { "quota.miloapis.com/candidates": "x" } },
      "metadata.annotations[quota.miloapis.com/candidates]",
    ],
    "does not say to which object it is bound": [
      { annotations: { "quota.miloapis.com/bound": "x" } },
      "metadata.annotations[quota.miloapis.com/bound]",
    ],
  };
  for (const [name, [metadata, field]] of Object.entries(marks)) {
    it(name, async () => {
      const told = await post(claims, claim({}, metadata));
      expect([told.code, fieldsIn(told)]).toEqual([422, [field]]);
      await post(claims, claim());
      const patch = { method: "PATCH", path: `${claims}/by-hand`, type: "application/merge-patch+json" } as const;
      expect((await world.ask({ ...patch, body: { metadata }, user: staff })).code).toBe(422);
      const byMaster = await world.ask({ ...patch, body: { metadata } });
      expect([byMaster.code, byMaster.warnings]).toEqual([200, [expect.stringContaining("only the quota system")]]);
      const removed = Object.fromEntries(
        Object.entries(metadata).map(([where, all]) => [
          where,
          Object.fromEntries(Object.keys(all as Json).map((key) => [key, null])),
        ]),
      );
      expect((await world.ask({ ...patch, body: { metadata: removed }, user: staff })).code).toBe(422);
    });
  }

  it("can be let go when what it asks for is not registered any more", async () => {
    await post(claims, claim({}, { finalizers: ["example.com/hold"] }));
    await world.resource(registrationsType).delete({ name: "core-configmaps" }, {}, signal);
    const patch = { method: "PATCH", path: `${claims}/by-hand`, type: "application/merge-patch+json" } as const;
    const told = await world.ask({ ...patch, body: { metadata: { finalizers: null } }, user: staff });
    expect(told.code).toBe(200);
  });
});

describe("what rests on other objects", () => {
  const cases: Record<string, [path: string, object: Json, warning: string]> = {
    "a grant for something unheard of": [
      `${group}/namespaces/default/resourcegrants`,
      grant("g", "core/unheard-of", 1),
      "spec.allowances[0].resourceType",
    ],
    "a policy for something unheard of": [
      policies,
      policy("p", configMapKind, "core/unheard-of"),
      "spec.target.resourceClaimTemplate.spec.requests[0].resourceType",
    ],
    "a second registration of a type": [
      `${group}/resourceregistrations`,
      { ...registration("core/configmaps", []), metadata: { name: "later" } },
      "spec.resourceType",
    ],
  };
  for (const [name, [path, object, field]] of Object.entries(cases)) {
    it(`may come later: ${name} is taken, with a warning`, async () => {
      const told = await post(path, object);
      expect(told.code).toBe(201);
      expect(told.warnings).toEqual([
        expect.stringMatching(`^not in effect yet: ${field.replace(/[[\].]/g, "\\$&")}: `),
      ]);
    });
  }

  it("is not warned of while it is about to be looked at, as when all is applied together", async () => {
    for (let at = 0; at < 5; at += 1) {
      const type = `core/together-${at}`;
      const told = [
        await post(`${group}/resourceregistrations`, registration(type, [configMapKind])),
        await post(`${group}/namespaces/default/resourcegrants`, grant(`together-${at}`, type, 1)),
        await post(policies, policy(`together-${at}`, configMapKind, type)),
      ];
      expect(told.map(({ code, warnings }) => [code, warnings])).toEqual(told.map(() => [201, []]));
    }
  });
});

describe("a policy", () => {
  it("that can never work is not taken, and is told all that is wrong", async () => {
    const broken = policy("broken", configMapKind, "core/configmaps", {
      constraints: [{ expression: "trigger.metadata." }],
      requests: [{ resourceType: "core/configmaps", amountExpression: "1 +" }],
    });
    const told = await post(policies, broken);
    expect(told.code).toBe(422);
    expect(fieldsIn(told)).toEqual([
      "spec.trigger.constraints[0].expression",
      "spec.target.resourceClaimTemplate.spec.requests[0].amountExpression",
    ]);
  });

  it("cannot be broken once it works", async () => {
    await enforce(world, policy("maps", configMapKind, "core/configmaps"));
    const body = { spec: { trigger: { constraints: [{ expression: "nonsense(" }] } } };
    const patch = { method: "PATCH", path: `${policies}/maps`, type: "application/merge-patch+json" } as const;
    expect((await world.ask({ ...patch, body, user: staff })).code).toBe(422);
  });
});

describe("a bucket", () => {
  const patchOf = async () => {
    const { items } = await world.resource(bucketsType).list({}, signal);
    const { metadata } = items[0] as { metadata: { namespace: string; name: string } };
    const path = `${group}/namespaces/${metadata.namespace}/allowancebuckets/${metadata.name}`;
    return { method: "PATCH", path, type: "application/merge-patch+json" } as const;
  };

  it("is written by nobody but the system, whatever their rights", async () => {
    const patch = await patchOf();
    const told = await world.ask({ ...patch, body: { metadata: { labels: { a: "b" } } }, user: staff });
    expect(told.code).toBe(403);
    expect(told.message).toContain("only the quota system writes it; it follows from grants and claims");
    const status = { ...patch, path: `${patch.path}/status`, body: { status: { limit: 1_000 } }, user: staff };
    expect((await world.ask(status)).code).toBe(403);
  });

  it("is written by masters with a warning", async () => {
    const told = await world.ask({ ...(await patchOf()), body: { metadata: { labels: { a: "b" } } } });
    expect([told.code, told.warnings]).toEqual([200, [expect.stringContaining("kept by the quota system")]]);
  });

  it("is deleted by nobody, masters included: it would stay while it is in use, and they would wait for ever", async () => {
    const { path } = await patchOf();
    for (const user of [staff, undefined]) {
      const told = await world.ask({ method: "DELETE", path, ...(user === undefined ? {} : { user }) });
      expect([told.code, told.message]).toEqual([
        403,
        expect.stringContaining("goes by itself when neither names it any more: delete those in its place"),
      ]);
    }
    const { body } = await world.ask({ method: "GET", path });
    expect(body["metadata"]).not.toHaveProperty("deletionTimestamp");
  });

  it("is deleted by masters who took its finalizer away, with a warning, and is made again", async () => {
    const patch = await patchOf();
    await world.ask({ ...patch, body: { metadata: { finalizers: null } } });
    await eventually(async () => {
      const told = await world.ask({ method: "DELETE", path: patch.path });
      expect([told.code, told.warnings]).toEqual([200, [expect.stringContaining("made again")]]);
    });
    await eventually(async () => expect((await world.ask({ method: "GET", path: patch.path })).code).toBe(200));
  });

  it("goes with its namespace", async () => {
    await world.create(namespacesType, { apiVersion: "v1", kind: "Namespace", metadata: { name: "short" } });
    const spec = {
      consumerRef: { kind: "Namespace", name: "short" },
      allowances: [{ resourceType: "core/configmaps", buckets: [{ amount: 1 }] }],
    };
    await world.create(grantsType, {
      ...grant("short", "core/configmaps", 1),
      metadata: { name: "one", namespace: "short" },
      spec,
    });
    const buckets = `${group}/namespaces/short/allowancebuckets`;
    await eventually(async () =>
      expect((await world.ask({ method: "GET", path: buckets })).body["items"]).toHaveLength(1),
    );
    expect((await world.ask({ method: "DELETE", path: "/api/v1/namespaces/short" })).code).toBe(200);
    await eventually(async () => {
      expect((await world.ask({ method: "GET", path: "/api/v1/namespaces/short" })).code).toBe(404);
    });
  });

  it("follows a grant without any warning", async () => {
    await world.create(grantsType, grant("more", "core/configmaps", 1));
    await eventually(async () => {
      const { items } = await world.resource(bucketsType).list({}, signal);
      expect(items).toMatchObject([{ status: { limit: 4 } }]);
    });
  });
});
