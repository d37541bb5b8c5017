import { createHash } from "node:crypto";
import type { JsonObject, JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { formatApiVersion } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { compareVersions } from "../registry/kinds/kind-version.ts";
import type { ServedKind } from "../registry/kinds/served-kind.ts";
import { isNamespaceKind } from "../registry/lifecycle/namespace-lifecycle.ts";
import { storedResource } from "../registry/object-request.ts";
import { scaleKind } from "../registry/scale/scale-kind.ts";

/** All groups but the core group, which has its own document. */
export function groupList(kinds: readonly ServedKind[]): JsonObject {
  const groups = groupNames(kinds).map((group) => groupEntry(kinds, group));
  return { kind: "APIGroupList", apiVersion: "v1", groups };
}

export function groupDocument(kinds: readonly ServedKind[], group: string): JsonObject | undefined {
  if (!groupNames(kinds).includes(group)) return undefined;
  return { kind: "APIGroup", apiVersion: "v1", ...groupEntry(kinds, group) };
}

export function coreVersions(address: string): JsonObject {
  return {
    kind: "APIVersions",
    versions: ["v1"],
    serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: address }],
  };
}

export function resourceList(kinds: readonly ServedKind[], group: string, version: string): JsonObject | undefined {
  const members = kinds.filter((kind) => kind.group === group && kind.version === version);
  if (members.length === 0) return undefined;
  const resources = [...members].sort(byPlural).flatMap(resourceEntries);
  const head = group === "" ? { kind: "APIResourceList" } : { kind: "APIResourceList", apiVersion: "v1" };
  return { ...head, groupVersion: formatApiVersion(group, version), resources };
}

/** All groups and their resources in one document, which kubectl requests first. */
export function aggregatedDiscovery(kinds: readonly ServedKind[], part: "core" | "groups"): JsonObject {
  const names = part === "core" ? [""] : groupNames(kinds);
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: "apidiscovery.k8s.io/v2",
    metadata: {},
    items: names.map((group) => ({
      metadata: group === "" ? {} : { name: group },
      versions: versionsOf(kinds, group).map((version) => ({
        version,
        resources: kinds
          .filter((kind) => kind.group === group && kind.version === version)
          .sort(byPlural)
          .map(aggregatedEntry),
        freshness: "Current",
      })),
    })),
  };
}

function groupNames(kinds: readonly ServedKind[]): readonly string[] {
  return [...new Set(kinds.map(({ group }) => group))].filter((group) => group !== "");
}

function versionsOf(kinds: readonly ServedKind[], group: string): readonly string[] {
  const versions = kinds.filter((kind) => kind.group === group).map(({ version }) => version);
  return [...new Set(versions)].sort(compareVersions);
}

function groupEntry(kinds: readonly ServedKind[], name: string): JsonObject {
  const versions = versionsOf(kinds, name).map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions, preferredVersion: versions[0] as JsonObject };
}

function resourceEntries(kind: ServedKind): readonly JsonObject[] {
  const entry = {
    name: kind.plural,
    singularName: kind.singular,
    namespaced: kind.scope === "Namespaced",
    kind: kind.kind,
    verbs: shownVerbs(kind),
    ...(kind.shortNames.length > 0 ? { shortNames: kind.shortNames } : {}),
    ...(kind.categories.length > 0 ? { categories: kind.categories } : {}),
    ...(kind.verbs.includes("list") ? { storageVersionHash: storageVersionHash(kind) } : {}),
  };
  const parts = subresourcesOf(kind).map(({ name, verbs, shownAs }) => ({
    name: `${kind.plural}/${name}`,
    singularName: "",
    namespaced: kind.scope === "Namespaced",
    ...(shownAs === undefined ? { kind: kind.kind } : shownAs),
    verbs,
  }));
  return [entry, ...parts];
}

function aggregatedEntry(kind: ServedKind): JsonValue {
  // Built-in kinds omit the group and version that the enclosing entry has.
  const { group, version } = kind.isCustom ? kind : { group: "", version: "" };
  const responseKind = { group, version, kind: kind.kind };
  const subresources = subresourcesOf(kind).map(({ name, verbs, shownAs }) => ({
    subresource: name,
    responseKind: shownAs ?? responseKind,
    verbs,
  }));
  return {
    resource: kind.plural,
    responseKind,
    scope: kind.scope === "Namespaced" ? "Namespaced" : "Cluster",
    singularResource: kind.singular,
    verbs: shownVerbs(kind),
    ...(kind.shortNames.length > 0 ? { shortNames: kind.shortNames } : {}),
    ...(kind.categories.length > 0 ? { categories: kind.categories } : {}),
    ...(subresources.length > 0 ? { subresources } : {}),
  };
}

interface Part {
  readonly name: string;
  readonly verbs: readonly string[];
  /** The kind of the subresource's objects, if it is another one. */
  readonly shownAs?: { readonly group: string; readonly version: string; readonly kind: string };
}

const status: Part = { name: "status", verbs: ["get", "patch", "update"] };
const scale: Part = {
  name: "scale",
  verbs: ["get", "patch", "update"],
  shownAs: { group: scaleKind.group, version: scaleKind.version, kind: scaleKind.kind },
};

/** In Kubernetes' order: by name, but status first for custom kinds. */
function subresourcesOf(kind: ServedKind): readonly Part[] {
  const isNamespace = isNamespaceKind(kind);
  const parts = [...(kind.scale === undefined ? [] : [scale]), ...(kind.hasStatus ? [status] : [])];
  if (isNamespace) return [{ name: "finalize", verbs: ["update"] }, ...parts];
  return kind.isCustom ? parts.reverse() : parts;
}

/** Custom kinds have an order of their own. */
function shownVerbs({ verbs, isCustom }: ServedKind): readonly string[] {
  return isCustom ? verbs : [...verbs].sort();
}

function byPlural(left: ServedKind, right: ServedKind): number {
  return left.plural < right.plural ? -1 : 1;
}

/** Changes when the storage version changes; clients treat it as opaque. */
function storageVersionHash(kind: ServedKind): string {
  const form = `${storedResource(kind)}/${kind.storageVersion}`;
  return createHash("sha256").update(form).digest().subarray(0, 8).toString("base64");
}
