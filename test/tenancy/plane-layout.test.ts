import { describe, expect, it } from "vitest";
import type { PlaneResolver } from "../../src/apiserver/http/api-server.ts";
import type { PlaneLayout } from "../../src/controllers/planes-of-server.ts";
import { organizationPath, projectPath, tenantLayout } from "../../src/tenancy/plane-layout.ts";
import { tenantPlanes } from "../../src/tenancy/plane-resolver.ts";
import type { Availability } from "../../src/tenancy/tenant-directory.ts";

const apiGroup = "resourcemanager.miloapis.com";
const prefix = `/apis/${apiGroup}/v1alpha1`;
const everything = {
  project: (): Availability => "open",
  organization: (): Availability => "open",
  organizationUid: () => "1",
};

describe("the planes of tenants", () => {
  const layout: PlaneLayout = tenantLayout;
  const resolve: PlaneResolver = tenantPlanes(everything);

  it("are addressed as they are found", () => {
    const plane = layout.planeOf({ apiGroup, kind: "Project", name: "web" }) as string;
    const { prefix: before } = layout.addressOf(plane);
    expect(before).toBe(`${prefix}/projects/web/control-plane`);
    expect(resolve(`${before}/api/v1/pods`)).toEqual({ plane, path: "/api/v1/pods" });
    expect(layout.ownerOf(plane)).toEqual({ apiGroup, kind: "Project", namespace: "", name: "web" });
    expect(layout.addressOf("root")).toEqual({ plane: "root", prefix: "" });
  });

  it("are the root for organizations, and none for others", () => {
    expect(layout.planeOf({ apiGroup, kind: "Organization", name: "acme" })).toBe("root");
    expect(layout.planeOf({ apiGroup, kind: "User", name: "x" })).toBeUndefined();
    expect(layout.planeOf({ apiGroup: "", kind: "Project", name: "x" })).toBeUndefined();
    expect(layout.ownerOf("root")).toBeUndefined();
  });

  const paths: Record<string, [path: string, plane: string | undefined, rest?: string, view?: string]> = {
    "anything else": ["/api/v1/pods", "root", "/api/v1/pods"],
    "the project itself": [`${prefix}/projects/web`, "root", `${prefix}/projects/web`],
    "a subresource that begins alike": [
      `${prefix}/projects/web/control-planes`,
      "root",
      `${prefix}/projects/web/control-planes`,
    ],
    "a plane without more": [projectPath("web"), "project-web", "/"],
    "the root of a plane": [`${projectPath("web")}/`, "project-web", "/"],
    "a plane below a plane": [`${projectPath("a")}${projectPath("b")}/api`, "project-a", `${projectPath("b")}/api`],
    "an organization": [`${organizationPath("acme")}/api`, "root", "/api", "organization/acme"],
    "a name that is none": [`${prefix}/projects/..%2Fweb/control-plane/api`, undefined],
    "a name with a dot": [`${prefix}/projects/a.b/control-plane/api`, undefined],
    "a name that is too long": [`${projectPath("a".repeat(64))}/api`, undefined],
    "another version": [
      `/apis/${apiGroup}/v1/projects/web/control-plane/api`,
      "root",
      `/apis/${apiGroup}/v1/projects/web/control-plane/api`,
    ],
    "another group": ["/apis/resourcemanagerXmiloapis.com/v1alpha1/projects/web/control-plane", "root"],
  };
  for (const [what, [path, plane, rest, view]] of Object.entries(paths)) {
    it(`are found for ${what}`, () => {
      const found = resolve(path);
      expect([found?.plane, found?.view?.name]).toEqual([plane, view]);
      if (rest !== undefined) expect(found?.path).toBe(rest);
    });
  }

  it("say why they cannot be used", () => {
    const codes = (availability: Availability) => {
      const found = tenantPlanes({ ...everything, project: () => availability, organization: () => availability });
      return [projectPath("web"), organizationPath("acme")].map((path) => found(path)?.unavailable?.code);
    };
    expect([codes("open"), codes("opening"), codes("unknown")]).toEqual([
      [undefined, undefined],
      [503, 503],
      [404, 404],
    ]);
  });
});
