import type { PlaneResolver } from "@milo-quota/apiserver/http/plane-path.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { tenantLayout } from "@milo-quota/quota/tenancy/plane-layout.ts";
import { planeResolver } from "@milo-quota/quota/tenancy/plane-resolver.ts";
import type { Availability } from "@milo-quota/quota/tenancy/tenant-directory.ts";
import type { PlaneLayout } from "@milo-quota/quota/views/planes-of-server.ts";
import { organizationPath, projectPath } from "@milo-quota/quota/views/tenant-planes.ts";
import { describe, expect, it } from "vitest";

const apiGroup = "resourcemanager.miloapis.com";
const prefix = `/apis/${apiGroup}/v1alpha1`;
const everything = {
  project: (): Availability => "open",
  organization: (): Availability => "open",
  organizationUid: () => "1",
};

describe("the plane layout of tenants", () => {
  const layout: PlaneLayout = tenantLayout;
  const resolve: PlaneResolver = planeResolver(everything);

  it("resolves the addresses that it gives out", () => {
    const plane = layout.planeOf({ apiGroup, kind: "Project", name: "web" }) as string;
    const { prefix: before } = layout.addressOf(plane);
    expect(before).toBe(`${prefix}/projects/web/control-plane`);
    expect(resolve(`${before}/api/v1/pods`)).toEqual({ plane, path: "/api/v1/pods" });
    expect(layout.addressOf("root")).toEqual({ plane: "root", prefix: "" });
  });

  it("maps organizations to the root plane and other kinds to none", () => {
    expect(layout.planeOf({ apiGroup, kind: "Organization", name: "acme" })).toBe("root");
    expect(layout.planeOf({ apiGroup, kind: "User", name: "x" })).toBeUndefined();
    expect(layout.planeOf({ apiGroup: "", kind: "Project", name: "x" })).toBeUndefined();
  });

  const projectKind = { apiGroup, kind: "Project" };
  const organizationKind = { apiGroup, kind: "Organization" };
  const objectOf = (kind: string, namespace: string, spec = {}) => ({
    apiVersion: kind === "ConfigMap" ? "v1" : `${apiGroup}/v1alpha1`,
    kind,
    metadata: { name: "x", ...(namespace === "" ? {} : { namespace }) },
    spec,
  });
  const ownerRef = (name: unknown) => ({ ownerRef: { kind: "Organization", name } }) as JsonObject;

  const belongings: Record<string, [plane: string, object: JsonObject, owner: readonly string[]]> = {
    "any object in a project's plane": ["project-web", objectOf("ConfigMap", "default"), ["Project", "web"]],
    "an object in an organization's namespace of a project's plane": [
      "project-web",
      objectOf("ConfigMap", "organization-acme"),
      ["Project", "web"],
    ],
    "a project": ["root", objectOf("Project", "", ownerRef("acme")), ["Organization", "acme"]],
    "an object in an organization's namespace": [
      "root",
      objectOf("ConfigMap", "organization-acme"),
      ["Organization", "acme"],
    ],
    "a membership": ["root", objectOf("OrganizationMembership", "organization-acme"), ["Organization", "acme"]],
    "an object elsewhere in the root plane": ["root", objectOf("ConfigMap", "default"), []],
    "an object in a namespace with only the prefix": ["root", objectOf("ConfigMap", "organization-"), []],
    "an organization itself": ["root", objectOf("Organization", ""), []],
    "a project without an owner": ["root", objectOf("Project", ""), []],
    "a project with an invalid organization name": ["root", objectOf("Project", "", ownerRef("a/b")), []],
    "a project with an owner name that is not a string": ["root", objectOf("Project", "", ownerRef(7)), []],
    "a project of another group": [
      "root",
      { ...objectOf("Project", "", ownerRef("acme")), apiVersion: "example.com/v1" },
      [],
    ],
  };
  for (const [what, [plane, object, owner]] of Object.entries(belongings)) {
    it(`finds the tenant of ${what}`, () => {
      const { kind, name, ...rest } = layout.tenantOf(plane, object) ?? {};
      expect([kind, name]).toEqual([owner[0], owner[1]]);
      if (owner.length > 0) expect(rest).toEqual({ apiGroup, namespace: "" });
    });
  }

  it("lists the kinds of tenants of each plane", () => {
    const kinds = (plane: string, kind: string, group = apiGroup) =>
      layout.tenantKinds(plane, { apiGroup: group, kind });
    expect(kinds("project-web", "ConfigMap", "")).toEqual([projectKind]);
    expect(kinds("root", "ConfigMap", "")).toEqual([projectKind, organizationKind]);
    expect(kinds("root", "Project")).toEqual([organizationKind]);
    expect(kinds("root", "OrganizationMembership")).toEqual([organizationKind]);
    expect(kinds("root", "Organization")).toEqual([]);
    expect(kinds("root", "User", "iam.miloapis.com")).toEqual([]);
  });

  const paths: Record<string, [path: string, plane: string | undefined, rest?: string, view?: string]> = {
    "any other path": ["/api/v1/pods", "root", "/api/v1/pods"],
    "the project itself": [`${prefix}/projects/web`, "root", `${prefix}/projects/web`],
    "a subresource with the same prefix": [
      `${prefix}/projects/web/control-planes`,
      "root",
      `${prefix}/projects/web/control-planes`,
    ],
    "a plane without a path": [projectPath("web"), "project-web", "/"],
    "the root of a plane": [`${projectPath("web")}/`, "project-web", "/"],
    "a plane below a plane": [`${projectPath("a")}${projectPath("b")}/api`, "project-a", `${projectPath("b")}/api`],
    "an organization": [`${organizationPath("acme")}/api`, "root", "/api", "organization/acme"],
    "an invalid name": [`${prefix}/projects/..%2Fweb/control-plane/api`, undefined],
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
    it(`resolves the path of ${what}`, () => {
      const found = resolve(path);
      expect([found?.plane, found?.view?.name]).toEqual([plane, view]);
      if (rest !== undefined) expect(found?.path).toBe(rest);
    });
  }

  it("explains why a plane cannot be used", () => {
    const codes = (availability: Availability) => {
      const found = planeResolver({ ...everything, project: () => availability, organization: () => availability });
      return [projectPath("web"), organizationPath("acme")].map((path) => found(path)?.unavailable?.code);
    };
    expect([codes("open"), codes("opening"), codes("unknown")]).toEqual([
      [undefined, undefined],
      [503, 503],
      [404, 404],
    ]);
  });
});
