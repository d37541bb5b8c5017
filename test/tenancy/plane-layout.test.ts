import type { PlaneResolver } from "@milo-quota/apiserver/http/plane-path.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { tenantLayout } from "@milo-quota/quota/tenancy/plane-layout.ts";
import { tenantPlanes } from "@milo-quota/quota/tenancy/plane-resolver.ts";
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

describe("the planes of tenants", () => {
  const layout: PlaneLayout = tenantLayout;
  const resolve: PlaneResolver = tenantPlanes(everything);

  it("are addressed as they are found", () => {
    const plane = layout.planeOf({ apiGroup, kind: "Project", name: "web" }) as string;
    const { prefix: before } = layout.addressOf(plane);
    expect(before).toBe(`${prefix}/projects/web/control-plane`);
    expect(resolve(`${before}/api/v1/pods`)).toEqual({ plane, path: "/api/v1/pods" });
    expect(layout.addressOf("root")).toEqual({ plane: "root", prefix: "" });
  });

  it("are the root for organizations, and none for others", () => {
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
    "anything in a project's plane": ["project-web", objectOf("ConfigMap", "default"), ["Project", "web"]],
    "what looks like an organization's there": [
      "project-web",
      objectOf("ConfigMap", "organization-acme"),
      ["Project", "web"],
    ],
    "a project": ["root", objectOf("Project", "", ownerRef("acme")), ["Organization", "acme"]],
    "what is in an organization's namespace": [
      "root",
      objectOf("ConfigMap", "organization-acme"),
      ["Organization", "acme"],
    ],
    "a membership": ["root", objectOf("OrganizationMembership", "organization-acme"), ["Organization", "acme"]],
    "what is anywhere else in the root": ["root", objectOf("ConfigMap", "default"), []],
    "what is in a namespace that only begins so": ["root", objectOf("ConfigMap", "organization-"), []],
    "an organization, for which nothing is there before it is": ["root", objectOf("Organization", ""), []],
    "a project that names nobody": ["root", objectOf("Project", ""), []],
    "a project of what can be no organization": ["root", objectOf("Project", "", ownerRef("a/b")), []],
    "a project of what is no name": ["root", objectOf("Project", "", ownerRef(7)), []],
    "a project of another group": [
      "root",
      { ...objectOf("Project", "", ownerRef("acme")), apiVersion: "example.com/v1" },
      [],
    ],
  };
  for (const [what, [plane, object, owner]] of Object.entries(belongings)) {
    it(`tell to whom belongs ${what}`, () => {
      const { kind, name, ...rest } = layout.tenantOf(plane, object) ?? {};
      expect([kind, name]).toEqual([owner[0], owner[1]]);
      if (owner.length > 0) expect(rest).toEqual({ apiGroup, namespace: "" });
    });
  }

  it("tell of which kinds those can be that objects belong to", () => {
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
