import { withObjectFields } from "@milo-quota/kubernetes/schema/crd.ts";
import { kindStruct } from "../../registry/builtin/typed/kind-struct.ts";
import { openApiName } from "../../registry/builtin/typed/struct-table.ts";
import type { ServedKind } from "../../registry/kinds/served-kind.ts";
import { type Component, type Components, described, metaPackage, reference } from "./component.ts";
import { structComponents } from "./struct-components.ts";

/** Stored kinds have lists; reviews do not. */
function isListed({ verbs }: ServedKind): boolean {
  return verbs.includes("list");
}

/** The name of a kind's schema: by Go package for built-in kinds, by reversed group for custom ones. */
export function componentName(kind: ServedKind): string {
  return nameOf(kind, kind.kind);
}

function nameOf({ group, version, isCustom }: ServedKind, kind: string): string {
  if (!isCustom) return openApiName(kindStruct({ group, version, kind }));
  return [...group.split(".").reverse(), version, kind].join(".");
}

/** The name of the schema of the kind's list. */
export function listComponentName(kind: ServedKind): string {
  return nameOf(kind, kind.listKind);
}

/** All schemas that the documents of these kinds refer to. */
export function kindComponents(kinds: readonly ServedKind[]): Components {
  const structs = kinds.filter(({ isCustom }) => !isCustom).map(kindStruct);
  const shared = ["meta.v1.ObjectMeta", "meta.v1.ListMeta", "meta.v1.Status", "meta.v1.DeleteOptions"];
  const components: Record<string, Component> = structComponents([...structs, ...shared]);
  for (const kind of kinds) {
    const name = componentName(kind);
    const own = kind.isCustom ? customComponent(kind) : (components[name] as Component);
    components[name] = { ...own, "x-kubernetes-group-version-kind": [groupVersionKind(kind)] };
    if (isListed(kind)) components[listComponentName(kind)] = listComponent(kind);
  }
  return withSharedKinds(components, kinds);
}

export function groupVersionKind({ group, version, kind }: Pick<ServedKind, "group" | "version" | "kind">): Component {
  return { group, kind, version };
}

/** Metadata is the same for all kinds; restrictions by a definition are validated elsewhere. */
function customComponent(kind: ServedKind): Component {
  const object = withObjectFields(kind.schema.schema);
  const metadata = described(`${metaPackage}.ObjectMeta`, "The name, labels and owners of the object, and more.");
  return { ...object, properties: { ...object.properties, metadata } };
}

function listComponent(kind: ServedKind): Component {
  return {
    type: "object",
    description: `A list of objects of kind ${kind.kind}.`,
    required: ["items"],
    properties: {
      apiVersion: { type: "string", description: "The version of this representation." },
      kind: { type: "string", description: "The kind of list this is." },
      metadata: described(
        `${metaPackage}.ListMeta`,
        "The revision that the list shows, and where its next page starts.",
      ),
      items: { type: "array", description: `The ${kind.plural}.`, items: reference(componentName(kind)) },
    },
    "x-kubernetes-group-version-kind": [{ group: kind.group, kind: kind.listKind, version: kind.version }],
  };
}

/** Options and Status belong to every group; clients look them up in the group they use them in. */
function withSharedKinds(components: Components, kinds: readonly ServedKind[]): Components {
  const [{ group = "", version = "v1" } = {}] = kinds;
  const mark = (name: string, of: { readonly group: string; readonly version: string }): Components => ({
    [`${metaPackage}.${name}`]: {
      ...components[`${metaPackage}.${name}`],
      "x-kubernetes-group-version-kind": [groupVersionKind({ ...of, kind: name })],
    },
  });
  return {
    ...components,
    ...mark("DeleteOptions", { group, version }),
    ...mark("Status", { group: "", version: "v1" }),
  };
}
