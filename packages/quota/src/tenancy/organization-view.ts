import { isJsonObject, type JsonObject, type JsonValue, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { KubernetesObject } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { organizationNamespace } from "../core/resources/object-tenant.ts";
import { organizationDefinition } from "./resources/organization.ts";
import { organizationMembershipDefinition } from "./resources/organization-membership.ts";
import { projectDefinition } from "./resources/project.ts";

type ViewedObject = KubernetesObject & JsonObject;

interface ViewedKind {
  readonly group: string;
  readonly plural: string;
  readonly scope: "Namespaced" | "Cluster";
}

/** How an organization sees the objects of a kind. */
interface KindView {
  readonly namespace?: string;
  readonly shows?: (object: ViewedObject) => boolean;
  readonly outOfView?: (object: ViewedObject) => string;
  readonly isReadOnly?: boolean;
  readonly adopt?: (object: ViewedObject) => ViewedObject;
}

const viewName = /^organization\/(.+)$/;

/** The root plane as an organization sees it: its namespace, its projects, and read-only cluster-scoped objects. */
export function organizationView(organization: string, isCurrent: () => boolean) {
  const namespace = organizationNamespace(organization);
  const member = { name: organization };
  return {
    name: `organization/${organization}`,
    isCurrent,
    of: (kind: ViewedKind): KindView => {
      if (isKind(kind, organizationMembershipDefinition)) {
        return { namespace, adopt: (object) => withSpec(object, "organizationRef", member) };
      }
      if (kind.scope === "Namespaced") return { namespace };
      if (isKind(kind, projectDefinition)) return ownProjects(organization);
      if (isKind(kind, organizationDefinition)) return onlyObject(organization);
      return isKind(kind, { group: "", plural: "namespaces" }) ? onlyObject(namespace) : { isReadOnly: true };
    },
  };
}

export function organizationOfView(view: string | undefined): string | undefined {
  return view === undefined ? undefined : viewName.exec(view)?.[1];
}

function ownProjects(organization: string): KindView {
  const ownerRef = { kind: "Organization", name: organization };
  return {
    shows: (object) => ownerOf(object) === organization,
    outOfView: (object) =>
      `spec.ownerRef names organization ${JSON.stringify(ownerOf(object) ?? "")}, ` +
      `but this endpoint serves organization ${JSON.stringify(organization)} only`,
    adopt: (object) => withSpec(object, "ownerRef", ownerRef),
  };
}

function ownerOf(project: ViewedObject): JsonValue | undefined {
  return field(field(field(project, "spec"), "ownerRef"), "name");
}

function onlyObject(name: string): KindView {
  return { isReadOnly: true, shows: ({ metadata }) => metadata.name === name };
}

/** Sets a field of the spec unless it is set. A spec that is no object is left for the schema to reject. */
function withSpec(object: ViewedObject, name: string, value: JsonObject): ViewedObject {
  const spec = ownValue(object, "spec") ?? {};
  if (!isJsonObject(spec) || ownValue(spec, name) !== undefined) return object;
  return { ...object, spec: { ...spec, [name]: value } } as unknown as ViewedObject;
}

function field(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(value) ? ownValue(value, name) : undefined;
}

function isKind({ group, plural }: Omit<ViewedKind, "scope">, other: Omit<ViewedKind, "scope">): boolean {
  return group === other.group && plural === other.plural;
}
