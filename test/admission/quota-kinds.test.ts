import { bucketsType, grantsType, registrationsType } from "@milo-quota/quota/views/quota-types.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AdmissionWorld } from "./admission-world.ts";
import { namespacesType } from "./object-types.ts";
import { configMapKind, createPolicy, grant, policy, registerAndGrant, registration } from "./quota-objects.ts";
import { type ApiResponse, eventually, type Json, signal } from "./test-world.ts";

let world: AdmissionWorld;
const group = "/apis/quota.miloapis.com/v1alpha1";
const claims = `${group}/namespaces/default/resourceclaims`;
const policies = `${group}/claimcreationpolicies`;
const staff = { username: "eve", uid: "1", groups: ["staff"], extra: {} };

beforeEach(async () => {
  world = await AdmissionWorld.start();
  await registerAndGrant(world, "core/configmaps", configMapKind, 3);
  await allowStaff();
});

afterEach(async () => {
  await world.stop();
  expect(world.unexpectedReports).toEqual([]);
});

/** Grants staff all RBAC permissions, so that only admission rejects. */
async function allowStaff(): Promise<void> {
  const name = "staff";
  const rbac = "/apis/rbac.authorization.k8s.io/v1";
  const head = { apiVersion: "rbac.authorization.k8s.io/v1", metadata: { name } };
  const subjects = [{ kind: "Group", name: "staff", apiGroup: "rbac.authorization.k8s.io" }];
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" };
  const body = { ...head, kind: "ClusterRoleBinding", subjects, roleRef };
  expect((await world.request({ method: "POST", path: `${rbac}/clusterrolebindings`, body })).code).toBe(201);
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

const post = (path: string, body: Json, user = staff): Promise<ApiResponse> =>
  world.request({ method: "POST", path, body, user });
const fieldsIn = ({ body }: ApiResponse): readonly string[] =>
  ((body["details"] as { causes?: { field: string }[] } | undefined)?.causes ?? []).map(({ field }) => field);

describe("a manual claim", () => {
  it("is accepted if it is valid", async () => {
    expect(await post(claims, claim())).toMatchObject({ code: 201, warnings: [] });
  });

  const cases: Record<string, [spec: Json, fields: readonly string[]]> = {
    "must request a positive amount": [
      { requests: [{ resourceType: "core/configmaps", amount: 0 }] },
      ["spec.requests[0].amount"],
    ],
    "must request a registered type": [
      { requests: [{ resourceType: "core/unheard-of", amount: 1 }] },
      ["spec.requests[0].resourceType"],
    ],
    "must have a consumer of the registered kind": [{ consumerRef: { kind: "Node", name: "n" } }, ["spec.consumerRef"]],
    "must be for an object of a claiming kind": [
      { resourceRef: { kind: "Secret", name: "s", namespace: "default" } },
      ["spec.resourceRef"],
    ],
    "must have only registered dimensions": [
      {
        requests: [{ resourceType: "core/configmaps", amount: 1, dimensions: { color: "red" } }],
      },
      ["spec.requests[0].dimensions"],
    ],
    "gets all errors at once": [
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
      const response = await post(claims, claim(spec));
      expect([response.code, response.body["reason"]]).toEqual([422, "Invalid"]);
      expect(fieldsIn(response)).toEqual(fields);
    });
  }

  it("is accepted right after the registration was created", async () => {
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
    "must not have the label of automatic claims": [
      { labels: { "quota.miloapis.com/auto-created": "true" } },
      "metadata.labels[quota.miloapis.com/auto-created]",
    ],
    "must not name admission as its creator": [
      { annotations: { "quota.miloapis.com/created-by": "claim-creation-plugin" } },
      "metadata.annotations[quota.miloapis.com/created-by]",
    ],
    "must not name a policy": [
      { annotations: { "quota.miloapis.com/policy": "things" } },
      "metadata.annotations[quota.miloapis.com/policy]",
    ],
    "must not list candidates": [
      { annotations: { "quota.miloapis.com/candidates": "x" } },
      "metadata.annotations[quota.miloapis.com/candidates]",
    ],
    "must not name a bound object": [
      { annotations: { "quota.miloapis.com/bound": "x" } },
      "metadata.annotations[quota.miloapis.com/bound]",
    ],
  };
  for (const [name, [metadata, field]] of Object.entries(marks)) {
    it(name, async () => {
      const response = await post(claims, claim({}, metadata));
      expect([response.code, fieldsIn(response)]).toEqual([422, [field]]);
      await post(claims, claim());
      const patch = { method: "PATCH", path: `${claims}/by-hand`, type: "application/merge-patch+json" } as const;
      expect((await world.request({ ...patch, body: { metadata }, user: staff })).code).toBe(422);
      const byMaster = await world.request({ ...patch, body: { metadata } });
      expect([byMaster.code, byMaster.warnings]).toEqual([200, [expect.stringContaining("only the quota system")]]);
      const removed = Object.fromEntries(
        Object.entries(metadata).map(([where, all]) => [
          where,
          Object.fromEntries(Object.keys(all as Json).map((key) => [key, null])),
        ]),
      );
      expect((await world.request({ ...patch, body: { metadata: removed }, user: staff })).code).toBe(422);
    });
  }

  it("can be deleted after its registration is gone", async () => {
    await post(claims, claim({}, { finalizers: ["example.com/hold"] }));
    await world.resource(registrationsType).delete({ name: "core-configmaps" }, {}, signal);
    const patch = { method: "PATCH", path: `${claims}/by-hand`, type: "application/merge-patch+json" } as const;
    const response = await world.request({ ...patch, body: { metadata: { finalizers: null } }, user: staff });
    expect(response.code).toBe(200);
  });
});

describe("references to other objects", () => {
  const cases: Record<string, [path: string, object: Json, warning: string]> = {
    "a grant for an unregistered type": [
      `${group}/namespaces/default/resourcegrants`,
      grant("g", "core/unheard-of", 1),
      "spec.allowances[0].resourceType",
    ],
    "a policy for an unregistered type": [
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
    it(`may be created later: ${name} is accepted with a warning`, async () => {
      const response = await post(path, object);
      expect(response.code).toBe(201);
      expect(response.warnings).toEqual([
        expect.stringMatching(`^not in effect yet: ${field.replace(/[[\].]/g, "\\$&")}: `),
      ]);
    });
  }

  it("cause no warning if the referenced object is created at the same time", async () => {
    for (let at = 0; at < 5; at += 1) {
      const type = `core/together-${at}`;
      const response = [
        await post(`${group}/resourceregistrations`, registration(type, [configMapKind])),
        await post(`${group}/namespaces/default/resourcegrants`, grant(`together-${at}`, type, 1)),
        await post(policies, policy(`together-${at}`, configMapKind, type)),
      ];
      expect(response.map(({ code, warnings }) => [code, warnings])).toEqual(response.map(() => [201, []]));
    }
  });
});

describe("a policy", () => {
  it("is rejected with all errors if it can never work", async () => {
    const broken = policy("broken", configMapKind, "core/configmaps", {
      constraints: [{ expression: "trigger.metadata." }],
      requests: [{ resourceType: "core/configmaps", amountExpression: "1 +" }],
    });
    const response = await post(policies, broken);
    expect(response.code).toBe(422);
    expect(fieldsIn(response)).toEqual([
      "spec.trigger.constraints[0].expression",
      "spec.target.resourceClaimTemplate.spec.requests[0].amountExpression",
    ]);
  });

  it("cannot be changed into an invalid one", async () => {
    await createPolicy(world, policy("maps", configMapKind, "core/configmaps"));
    const body = { spec: { trigger: { constraints: [{ expression: "nonsense(" }] } } };
    const patch = { method: "PATCH", path: `${policies}/maps`, type: "application/merge-patch+json" } as const;
    expect((await world.request({ ...patch, body, user: staff })).code).toBe(422);
  });
});

describe("a bucket", () => {
  const patchOf = async () => {
    const { items } = await world.resource(bucketsType).list({}, signal);
    const { metadata } = items[0] as { metadata: { namespace: string; name: string } };
    const path = `${group}/namespaces/${metadata.namespace}/allowancebuckets/${metadata.name}`;
    return { method: "PATCH", path, type: "application/merge-patch+json" } as const;
  };

  it("is written only by the system, regardless of the RBAC permissions of users", async () => {
    const patch = await patchOf();
    const response = await world.request({ ...patch, body: { metadata: { labels: { a: "b" } } }, user: staff });
    expect(response.code).toBe(403);
    expect(response.message).toContain("only the quota system writes it, from grants and claims");
    const status = { ...patch, path: `${patch.path}/status`, body: { status: { limit: 1_000 } }, user: staff };
    expect((await world.request(status)).code).toBe(403);
  });

  it("is writable for system:masters, with a warning", async () => {
    const response = await world.request({ ...(await patchOf()), body: { metadata: { labels: { a: "b" } } } });
    expect([response.code, response.warnings]).toEqual([200, [expect.stringContaining("managed by the quota system")]]);
  });

  it("cannot be deleted while it is in use, not even by system:masters", async () => {
    const { path } = await patchOf();
    for (const user of [staff, undefined]) {
      const response = await world.request({ method: "DELETE", path, ...(user === undefined ? {} : { user }) });
      expect([response.code, response.message]).toEqual([
        403,
        expect.stringContaining("once no grant or claim refers to it: delete those grants and claims instead"),
      ]);
    }
    const { body } = await world.request({ method: "GET", path });
    expect(body["metadata"]).not.toHaveProperty("deletionTimestamp");
  });

  it("can be deleted by system:masters after removing its finalizer, with a warning, and is recreated", async () => {
    const patch = await patchOf();
    await world.request({ ...patch, body: { metadata: { finalizers: null } } });
    await eventually(async () => {
      const response = await world.request({ method: "DELETE", path: patch.path });
      expect([response.code, response.warnings]).toEqual([200, [expect.stringContaining("recreates it")]]);
    });
    await eventually(async () => expect((await world.request({ method: "GET", path: patch.path })).code).toBe(200));
  });

  it("is deleted with its namespace", async () => {
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
      expect((await world.request({ method: "GET", path: buckets })).body["items"]).toHaveLength(1),
    );
    expect((await world.request({ method: "DELETE", path: "/api/v1/namespaces/short" })).code).toBe(200);
    await eventually(async () => {
      expect((await world.request({ method: "GET", path: "/api/v1/namespaces/short" })).code).toBe(404);
    });
  });

  it("is updated for a new grant without warnings", async () => {
    await world.create(grantsType, grant("more", "core/configmaps", 1));
    await eventually(async () => {
      const { items } = await world.resource(bucketsType).list({}, signal);
      expect(items).toMatchObject([{ status: { limit: 4 } }]);
    });
  });
});

describe("a grant of a policy", () => {
  const grantPolicies = `${group}/grantcreationpolicies`;
  const grants = `${group}/namespaces/default/resourcegrants`;
  const type = "application/merge-patch+json";
  const allowances = (amount: number): Json[] => [{ resourceType: "core/configmaps", buckets: [{ amount }] }];
  let name: string;

  /** The stored grant, once it is Active with this amount: a change before that would conflict with its controller. */
  const active = (amount: number): Promise<{ readonly uid: string }> =>
    eventually(async () => {
      const { items } = await world.resource(grantsType).list({}, signal);
      const found = items.filter(({ metadata }) => (metadata as Json)["labels"] !== undefined) as Json[];
      expect(found).toMatchObject([
        { spec: { allowances: allowances(amount) }, status: { amounts: expect.anything() } },
      ]);
      const { metadata, status } = found[0] as { metadata: Json; status: { observedGeneration: number } };
      expect(status.observedGeneration).toBe(metadata["generation"]);
      name = String(metadata["name"]);
      return { uid: String(metadata["uid"]) };
    });

  beforeEach(async () => {
    const trigger = {
      resource: { apiVersion: "v1", kind: "Namespace" },
      constraints: [{ expression: 'trigger.metadata.name == "default"' }],
    };
    const spec = { consumerRef: { kind: "Namespace", name: "default" }, allowances: allowances(1) };
    const head = {
      apiVersion: "quota.miloapis.com/v1alpha1",
      kind: "GrantCreationPolicy",
      metadata: { name: "plans" },
    };
    const created = { ...head, spec: { trigger, target: { resourceGrantTemplate: { spec } } } };
    expect((await post(grantPolicies, created)).code).toBe(201);
    await active(1);
  });

  const patch = (body: Json): Promise<ApiResponse> =>
    world.request({ method: "PATCH", path: `${grants}/${name}`, body, type, user: staff });
  const remove = (): Promise<ApiResponse> =>
    world.request({ method: "DELETE", path: `${grants}/${name}`, user: staff });

  it("is restored after a change by hand, which has a warning", async () => {
    const warnings = ['policy "plans" manages this grant and will revert the change'];
    expect(await patch({ spec: { allowances: allowances(9) } })).toMatchObject({ code: 200, warnings });
    await active(1);
    const annotations = { "quota.miloapis.com/policy": null };
    expect(await patch({ metadata: { annotations } })).toMatchObject({ code: 200, warnings });
  });

  it("is created again after a delete by hand, which has a warning", async () => {
    const { uid } = await active(1);
    const warnings = ['policy "plans" manages this grant and will create it again'];
    expect(await remove()).toMatchObject({ code: 200, warnings });
    await eventually(async () => expect((await active(1)).uid).not.toBe(uid));
  });

  it("has no warning for changes that the policy leaves alone", async () => {
    expect(await patch({ metadata: { labels: { team: "a" } } })).toMatchObject({ code: 200, warnings: [] });
  });

  it("belongs to the user while the policy is disabled", async () => {
    const body = { spec: { disabled: true } };
    expect((await world.request({ method: "PATCH", path: `${grantPolicies}/plans`, body, type })).code).toBe(200);
    expect(await patch({ spec: { allowances: allowances(9) } })).toMatchObject({ code: 200, warnings: [] });
    await active(9);
    expect(await remove()).toMatchObject({ code: 200, warnings: [] });
  });
});
