import type { ServedKind } from "../../registry/kinds/served-kind.ts";
import { type Component, metaPackage, reference } from "./component.ts";
import { componentName, groupVersionKind, listComponentName } from "./kind-components.ts";
import { deleteParameters, listParameters, pathParameters, queryParameters, writeParameters } from "./parameters.ts";

/** Custom kinds have no strategic merge patch. */
const patchTypes = [
  "application/apply-patch+yaml",
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
];

/** The paths of a kind with their operations. */
export function kindPaths(kind: ServedKind): Readonly<Record<string, Component>> {
  const { group, version, plural, scope } = kind;
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  const collection = scope === "Namespaced" ? `${root}/namespaces/{namespace}/${plural}` : `${root}/${plural}`;
  const subresources = [
    ...(kind.hasStatus && kind.verbs.includes("get") ? ["status"] : []),
    ...(group === "" && plural === "namespaces" ? ["finalize"] : []),
  ];
  const paths: [string, Component][] = [
    [collection, collectionOperations(kind)],
    [`${collection}/{name}`, objectOperations(kind, "")],
    ...subresources.map((part): [string, Component] => [`${collection}/{name}/${part}`, objectOperations(kind, part)]),
    ...(scope === "Namespaced" ? [[`${root}/${plural}`, everywhereOperations(kind)] as [string, Component]] : []),
  ];
  return Object.fromEntries(
    paths
      .filter(([, operations]) => Object.keys(operations).length > 0)
      .map(([path, operations]) => [
        path,
        { ...operations, parameters: [...pathParameters(path), ...queryParameters(["pretty"])] },
      ]),
  );
}

function collectionOperations(kind: ServedKind): Component {
  const has = (verb: ServedKind["verbs"][number]): boolean => kind.verbs.includes(verb);
  const deletion = queryParameters([...new Set([...listParameters, ...deleteParameters])].sort());
  return {
    ...(has("list") ? { get: listOperation(kind, idOf("list", kind)) } : {}),
    ...(has("create") ? { post: writeOperation(kind, "post", "") } : {}),
    ...(has("deletecollection")
      ? {
          delete: {
            ...operation(kind, "deletecollection", idOf("delete", kind, "Collection")),
            parameters: deletion.filter(({ name }) => name !== "watch" && name !== "allowWatchBookmarks"),
            requestBody: content(`${metaPackage}.DeleteOptions`),
            responses: okay(`${metaPackage}.Status`),
          },
        }
      : {}),
  };
}

/** Namespaced kinds can also be listed in all namespaces. */
function everywhereOperations(kind: ServedKind): Component {
  if (!kind.verbs.includes("list")) return {};
  return { get: listOperation(kind, `${idOf("list", kind).replace("Namespaced", "")}ForAllNamespaces`) };
}

function listOperation(kind: ServedKind, operationId: string): Component {
  return {
    ...operation(kind, "list", operationId),
    parameters: queryParameters(listParameters),
    responses: okay(listComponentName(kind)),
  };
}

function objectOperations(kind: ServedKind, part: string): Component {
  const has = (verb: ServedKind["verbs"][number]): boolean => kind.verbs.includes(verb);
  const canGet = has("get") && part !== "finalize";
  return {
    ...(canGet
      ? { get: { ...operation(kind, "get", idOf("read", kind, "", part)), responses: okay(componentName(kind)) } }
      : {}),
    ...(has("update") ? { put: writeOperation(kind, "put", part) } : {}),
    ...(has("patch") && part !== "finalize" ? { patch: patchOperation(kind, part) } : {}),
    ...(has("delete") && part === "" ? { delete: deleteOperation(kind) } : {}),
  };
}

function writeOperation(kind: ServedKind, action: "post" | "put", part: string): Component {
  const name = componentName(kind);
  const verb = action === "post" ? "create" : "replace";
  return {
    ...operation(kind, action, idOf(verb, kind, "", part)),
    parameters: queryParameters(writeParameters),
    requestBody: { ...content(name), required: true },
    responses: { ...okay(name), "201": { description: "Created", ...jsonContent(name) } },
  };
}

function patchOperation(kind: ServedKind, part: string): Component {
  const types = kind.isCustom ? patchTypes.slice(0, -1) : patchTypes;
  const body = { schema: { type: "object", description: "What to change, in the form that its type says." } };
  return {
    ...operation(kind, "patch", idOf("patch", kind, "", part)),
    parameters: queryParameters([...writeParameters, "force"]),
    requestBody: { content: Object.fromEntries(types.map((type) => [type, body])), required: true },
    responses: okay(componentName(kind)),
  };
}

function deleteOperation(kind: ServedKind): Component {
  return {
    ...operation(kind, "delete", idOf("delete", kind)),
    parameters: queryParameters(deleteParameters),
    requestBody: content(`${metaPackage}.DeleteOptions`),
    responses: okay(kind.returnsDeleted === true ? componentName(kind) : `${metaPackage}.Status`),
  };
}

function operation(kind: ServedKind, action: string, operationId: string): Component {
  const { group, version } = kind;
  return {
    tags: [`${group === "" ? "core" : camelGroup(group)}_${version}`],
    operationId,
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": groupVersionKind(kind),
  };
}

/** `listCoreV1NamespacedPod`, as client generators name their methods. */
function idOf(verb: string, kind: ServedKind, before = "", after = ""): string {
  const group = kind.group === "" ? "Core" : capital(camelGroup(kind.group));
  const scope = kind.scope === "Namespaced" ? "Namespaced" : "";
  return `${verb}${group}${capital(kind.version)}${before}${scope}${kind.kind}${capital(after)}`;
}

function camelGroup(group: string): string {
  const [first = "", ...rest] = group.replace(/\.k8s\.io$/, "").split(".");
  return first + rest.map(capital).join("");
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function content(name: string): Component {
  return { content: { "*/*": { schema: reference(name) } } };
}

function jsonContent(name: string): Component {
  const schema = { schema: reference(name) };
  return { content: { "application/json": schema, "application/yaml": schema } };
}

function okay(name: string): Component {
  return { "200": { description: "OK", ...jsonContent(name) }, "401": { description: "Unauthorized" } };
}
