import { isJsonObject, type JsonObject, type JsonValue, ownValue } from "../../protocol/json-value.ts";

/** A kind in one served version. */
export interface ServedResource {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: "Namespaced" | "Cluster";
}

/** The content of one discovery document. */
export interface ServedResources {
  /** Preferred versions of a group come first. */
  readonly resources: readonly ServedResource[];
  /** Groups that the server itself marks as stale. */
  readonly staleGroups: readonly string[];
}

/** Reads an aggregated document: all groups, with versions in order of preference and their resources. */
export function readAggregated(document: JsonObject): ServedResources {
  const versions = itemsOf(document, "items").flatMap((item) => {
    const group = text(objectOf(item, "metadata"), "name");
    return itemsOf(item, "versions").map((version) => ({ group, version }));
  });
  return {
    resources: versions.flatMap(({ group, version }) =>
      itemsOf(version, "resources").flatMap((resource) =>
        aggregatedResource(group, text(version, "version"), resource),
      ),
    ),
    staleGroups: versions.filter(({ version }) => text(version, "freshness") === "Stale").map(({ group }) => group),
  };
}

/** Reads the document of one group version. */
export function readResourceList(group: string, version: string, document: JsonObject): readonly ServedResource[] {
  return itemsOf(document, "resources").flatMap((resource) => {
    const plural = text(resource, "name");
    if (plural.includes("/") || !isWatchable(resource)) return [];
    const scope = ownValue(resource, "namespaced") === true ? "Namespaced" : "Cluster";
    return [{ group, version, kind: text(resource, "kind"), plural, scope }];
  });
}

/** The versions of a group, the preferred one first. */
export function readGroupVersions(document: JsonObject): readonly string[] {
  const preferred = text(objectOf(document, "preferredVersion"), "version");
  const versions = itemsOf(document, "versions").map((version) => text(version, "version"));
  return [...new Set([preferred, ...versions])].filter((version) => version !== "");
}

function aggregatedResource(group: string, version: string, resource: JsonObject): readonly ServedResource[] {
  if (!isWatchable(resource)) return [];
  const kind = text(objectOf(resource, "responseKind"), "kind");
  const scope = text(resource, "scope") === "Namespaced" ? "Namespaced" : "Cluster";
  return [{ group, version, kind, plural: text(resource, "resource"), scope }];
}

/** Kinds without list and watch are requests in the form of objects, such as access reviews. */
function isWatchable(resource: JsonObject): boolean {
  const verbs = ownValue(resource, "verbs");
  return Array.isArray(verbs) && verbs.includes("list") && verbs.includes("watch");
}

function itemsOf(object: JsonObject, field: string): readonly JsonObject[] {
  const items: JsonValue = ownValue(object, field) ?? [];
  return Array.isArray(items) ? items.filter(isJsonObject) : [];
}

function objectOf(object: JsonObject, field: string): JsonObject {
  const value = ownValue(object, field);
  return isJsonObject(value) ? value : {};
}

function text(object: JsonObject, field: string): string {
  const value = ownValue(object, field);
  return typeof value === "string" ? value : "";
}
