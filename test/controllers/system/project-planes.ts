import { rootPlane } from "@milo-quota/apiserver/embedded-server.ts";
import type { PlaneResolver } from "@milo-quota/apiserver/http/plane-path.ts";
import type { PlaneLayout } from "@milo-quota/quota/views/planes-of-server.ts";

const projects = "/apis/resourcemanager.miloapis.com/v1alpha1/projects";
const projectKind = { apiGroup: "resourcemanager.miloapis.com", kind: "Project" };
const inProject = new RegExp(`^${projects}/([^/]+)/control-plane(/.*)$`);

/** Every project has a control plane of the same name. */
export const resolvePlane: PlaneResolver = (path) => {
  const [, plane, rest] = inProject.exec(path) ?? [];
  return plane === undefined || rest === undefined ? { plane: rootPlane, path } : { plane, path: rest };
};

export function prefixOf(plane: string): string {
  return plane === rootPlane ? "" : `${projects}/${plane}/control-plane`;
}

export const layout: PlaneLayout = {
  addressOf: (plane) => ({ plane, prefix: prefixOf(plane) }),
  planeOf: ({ kind, name }) => (kind === "Project" ? name : undefined),
  tenantOf: (plane) => (plane === rootPlane ? undefined : { ...projectKind, namespace: "", name: plane }),
  tenantKinds: () => [projectKind],
  hasOrganizationNamespaces: false,
};
