import { rootPlane } from "../../../src/apiserver/embedded-server.ts";
import type { PlaneResolver } from "../../../src/apiserver/http/api-server.ts";
import type { PlaneLayout } from "../../../src/controllers/planes-of-server.ts";

const group = "resourcemanager.miloapis.com";
const prefix = `/apis/${group}/v1alpha1/projects`;

/** The planes there are: the root, and one for each of these projects. */
export const planes = { root: rootPlane, projects: ["project-a", "project-b"] } as const;

function projectOf(plane: string): string {
  return plane.slice("project-".length);
}

export const layout: PlaneLayout = {
  addressOf: (plane) =>
    plane === rootPlane ? { plane, prefix: "" } : { plane, prefix: `${prefix}/${projectOf(plane)}/control-plane` },
  planeOf: ({ apiGroup, kind, name }) =>
    apiGroup === group && kind === "Project" && planes.projects.some((plane) => plane === `project-${name}`)
      ? `project-${name}`
      : undefined,
  ownerOf: (plane) =>
    plane === rootPlane ? undefined : { apiGroup: group, kind: "Project", namespace: "", name: projectOf(plane) },
  hasOrganizationNamespaces: false,
};

export const resolvePlane: PlaneResolver = (path) => {
  const [, project, rest] = new RegExp(`^${prefix}/([^/]+)/control-plane(/.*)$`).exec(path) ?? [];
  if (project === undefined || rest === undefined) return { plane: rootPlane, path };
  const plane = `project-${project}`;
  return planes.projects.some((known) => known === plane) ? { plane, path: rest } : undefined;
};

/** The plane that a path leads into. */
export function planeOfPath(path: string): string {
  return resolvePlane(path)?.plane ?? rootPlane;
}
