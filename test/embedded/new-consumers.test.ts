import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { organization, organizations, project, projects, quota } from "../tenancy/tenant-world.ts";
import { type ApiResponse, eventually, type Json, MetricsWorld } from "./metrics-world.ts";
import { grantPolicies, projectsPolicy, registrations } from "./system-manifests.ts";

const tenantOf = (name: string, type: string): Json => ({ ...organization(name), spec: { type } }) as unknown as Json;
const projectOf = (name: string, of: string): Json => {
  const created = project(name) as { readonly spec?: object };
  return { ...created, spec: { ...created.spec, ownerRef: { kind: "Organization", name: of } } } as unknown as Json;
};

describe("an organization and its first project, created immediately after each other", () => {
  let world: MetricsWorld;
  const make = (path: string, body: Json): Promise<ApiResponse> => world.create(path, body);

  beforeAll(async () => {
    world = await MetricsWorld.start();
    const wanted = [
      make(`${quota}/resourceregistrations`, registrations["projects"] as Json),
      make(`${quota}/grantcreationpolicies`, grantPolicies["for-organizations"] as Json),
      make(`${quota}/claimcreationpolicies`, projectsPolicy as unknown as Json),
    ];
    expect((await Promise.all(wanted)).map(({ code, body }) => (code === 201 ? "" : body))).toEqual(["", "", ""]);
    await eventually(async () => {
      const { body } = await world.request("GET", `${quota}/claimcreationpolicies/projects`, {
        token: world.system.token,
      });
      expect(body).toContain("PolicyReady");
    });
  }, 60_000);
  afterAll(() => world.system.stop());

  it("are both stored, because admission waits for namespace and grant", async () => {
    for (let at = 0; at < 10; at += 1) {
      const created = await make(organizations, tenantOf(`new-${at}`, "Standard"));
      const first = await make(projects, projectOf(`first-${at}`, `new-${at}`));
      expect([created.code, first.code], first.body).toEqual([201, 201]);
    }
    expect(world.reported).toEqual([]);
  });

  it("are counted and do not exceed the limit", async () => {
    await make(organizations, tenantOf("full", "Standard"));
    const codes = await Promise.all(["a", "b", "c"].map((name) => make(projects, projectOf(`full-${name}`, "full"))));
    expect(codes.map(({ code }) => code).sort()).toEqual([201, 201, 403]);
  });

  it("are independent: a project of a missing organization is rejected immediately", async () => {
    const { code, body } = await make(projects, projectOf("lonely", "missing"));
    expect([code, body]).toEqual([500, expect.stringContaining('namespaces \\"organization-missing\\" not found')]);
  });
});
