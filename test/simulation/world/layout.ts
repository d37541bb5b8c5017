import { rootPlane } from "@milo-quota/apiserver/embedded-server.ts";
import type { PlaneResolver } from "@milo-quota/apiserver/http/plane-path.ts";
import type { DefinitionsFrom } from "@milo-quota/apiserver/registry/kinds/kind-catalog.ts";
import type { PlaneOwner } from "@milo-quota/quota/views/control-planes.ts";
import type { PlaneLayout } from "@milo-quota/quota/views/planes-of-server.ts";

const group = "resourcemanager.miloapis.com";
const prefix = `/apis/${group}/v1alpha1/projects`;

/** The root plane and one plane for each project. */
export const planes = { root: rootPlane, projects: ["project-a", "project-b"] } as const;

/** The organizations that exist. Consumers and parent contexts name them. */
export const organizations: readonly string[] = ["acme", "globex"];

function projectOf(plane: string): string {
  return plane.slice("project-".length);
}

/** Organizations have their objects in the root plane. */
function planeOfTenant({ kind, name }: PlaneOwner): string | undefined {
  if (kind === "Organization") return rootPlane;
  return kind === "Project" ? planes.projects.find((plane) => plane === `project-${name}`) : undefined;
}

export const layout: PlaneLayout = {
  addressOf: (plane) =>
    plane === rootPlane ? { plane, prefix: "" } : { plane, prefix: `${prefix}/${projectOf(plane)}/control-plane` },
  planeOf: (owner) => (owner.apiGroup === group ? planeOfTenant(owner) : undefined),
  tenantOf: (plane) =>
    plane === rootPlane ? undefined : { apiGroup: group, kind: "Project", namespace: "", name: projectOf(plane) },
  tenantKinds: (plane) => (plane === rootPlane ? [] : [{ apiGroup: group, kind: "Project" }]),
  hasOrganizationNamespaces: false,
};

export const resolvePlane: PlaneResolver = (path) => {
  const [, project, rest] = new RegExp(`^${prefix}/([^/]+)/control-plane(/.*)$`).exec(path) ?? [];
  if (project === undefined || rest === undefined) return { plane: rootPlane, path };
  const plane = `project-${project}`;
  return planes.projects.some((known) => known === plane) ? { plane, path: rest } : undefined;
};

/** CustomResourceDefinitions of the root plane apply to all planes. */
export const definitionsFrom: DefinitionsFrom = (plane) => (plane === rootPlane ? undefined : rootPlane);

/** The plane of a request path. */
export function planeOfPath(path: string): string {
  return resolvePlane(path)?.plane ?? rootPlane;
}
