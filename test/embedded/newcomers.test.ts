import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { organization, organizations, project, projects, quota } from "../tenancy/tenant-world.ts";
import { type Answer, eventually, type Json, MetricsWorld } from "./metrics-world.ts";
import { grantPolicies, projectsPolicy, registrations } from "./story-manifests.ts";

const tenantOf = (name: string, type: string): Json => ({ ...organization(name), spec: { type } }) as unknown as Json;
const projectOf = (name: string, of: string): Json => {
  const made = project(name) as { readonly spec?: object };
  return { ...made, spec: { ...made.spec, ownerRef: { kind: "Organization", name: of } } } as unknown as Json;
};

describe("an organization and its first project, one right after the other", () => {
  let world: MetricsWorld;
  const make = (path: string, body: Json): Promise<Answer> => world.create(path, body);

  beforeAll(async () => {
    world = await MetricsWorld.start();
    const wanted = [
      make(`${quota}/resourceregistrations`, registrations["projects"] as Json),
      make(`${quota}/grantcreationpolicies`, grantPolicies["for-organizations"] as Json),
      make(`${quota}/claimcreationpolicies`, projectsPolicy as unknown as Json),
    ];
    expect((await Promise.all(wanted)).map(({ code, body }) => (code === 201 ? "" : body))).toEqual(["", "", ""]);
    await eventually(async () => {
      const { body } = await world.ask("GET", `${quota}/claimcreationpolicies/projects`, { token: world.system.token });
      expect(body).toContain("PolicyReady");
    });
  }, 60_000);
  afterAll(() => world.system.stop());

  it("are both stored: namespace and grant are waited for", async () => {
    for (let at = 0; at < 10; at += 1) {
      const made = await make(organizations, tenantOf(`new-${at}`, "Standard"));
      const first = await make(projects, projectOf(`first-${at}`, `new-${at}`));
      expect([made.code, first.code], first.body).toEqual([201, 201]);
    }
    expect(world.reported).toEqual([]);
  });

  it("are counted: what was granted is not exceeded", async () => {
    await make(organizations, tenantOf("full", "Standard"));
    const codes = await Promise.all(["a", "b", "c"].map((name) => make(projects, projectOf(`full-${name}`, "full"))));
    expect(codes.map(({ code }) => code).sort()).toEqual([201, 201, 403]);
  });

  it("do not need each other: a project of nobody is refused at once", async () => {
    const { code, body } = await make(projects, projectOf("lonely", "nobody"));
    expect([code, body]).toEqual([500, expect.stringContaining('namespaces \\"organization-nobody\\" not found')]);
  });
});
