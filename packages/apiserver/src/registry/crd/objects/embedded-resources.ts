import {
  childPath,
  type FieldIssue,
  invalid,
  itemPath,
  required,
} from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { type MetadataKind, metadataIssues } from "@milo-quota/kubernetes/protocol/metadata/metadata-rules.ts";
import { pathSegment } from "@milo-quota/kubernetes/protocol/names.ts";
import type { ObjectMeta } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { CompiledSchema } from "@milo-quota/kubernetes/schema/compiled-schema.ts";
import { metadataTypeFault } from "@milo-quota/kubernetes/schema/embedded-metadata.ts";
import { dnsLabel1035 } from "../definitions/label-1035.ts";

/** The first embedded resource that does not decode as an object. */
export function embeddedDecodeError(compiled: CompiledSchema, object: JsonObject): FieldIssue | undefined {
  return visitEmbedded(compiled, object, "").flatMap(({ value, path }) => misfits(value, path))[0];
}

function misfits(object: JsonObject, path: string): readonly FieldIssue[] {
  const metadata = ownValue(object, "metadata") ?? undefined;
  const fault = metadata === undefined ? undefined : metadataTypeFault(metadata);
  return [
    ...["apiVersion", "kind"].flatMap((name) => {
      const value = ownValue(object, name);
      const isText = value === undefined || typeof value === "string";
      return isText ? [] : [invalid(childPath(path, name), value, "must be a string")];
    }),
    ...(fault === undefined ? [] : [invalid(childPath(path, "metadata"), metadata, fault)]),
  ];
}

/** Embedded resources must have apiVersion and kind, and valid metadata. */
export function embeddedIssues(compiled: CompiledSchema, value: JsonValue, path = ""): readonly FieldIssue[] {
  return visitEmbedded(compiled, value, path).flatMap((found) => resourceIssues(found.value, found.path));
}

interface Embedded {
  readonly value: JsonObject;
  readonly path: string;
}

function visitEmbedded(compiled: CompiledSchema, value: JsonValue, path: string): readonly Embedded[] {
  if (compiled.hasEmbedded === false) return [];
  if (Array.isArray(value)) {
    const { items } = compiled;
    if (items === undefined) return [];
    return value.flatMap((item: JsonValue, index) => visitEmbedded(items, item, itemPath(path, index)));
  }
  if (!isJsonObject(value)) return [];
  const isEmbedded = compiled.schema["x-kubernetes-embedded-resource"] === true;
  return [...(isEmbedded ? [{ value, path }] : []), ...visitFields(compiled, value, path)];
}

function visitFields(compiled: CompiledSchema, object: JsonObject, path: string): readonly Embedded[] {
  return Object.entries(object).flatMap(([name, member]) => {
    const property = compiled.properties.get(name);
    const child = property ?? compiled.additional;
    if (child === undefined || child === true) return [];
    return visitEmbedded(child, member, property === undefined ? itemPath(path, name) : childPath(path, name));
  });
}

/** Every object must have apiVersion and kind, and valid metadata if any. */
export function resourceIssues(object: JsonObject, path: string): readonly FieldIssue[] {
  const missing = ["apiVersion", "kind"].filter((name) => ownValue(object, name) === undefined);
  const metadata = ownValue(object, "metadata");
  return [
    ...missing.map((name) => required(childPath(path, name))),
    ...apiVersionIssues(ownValue(object, "apiVersion"), childPath(path, "apiVersion")),
    ...kindIssues(ownValue(object, "kind"), childPath(path, "kind")),
    ...(metadata === undefined ? [] : embeddedMetadataIssues(metadata, path)),
  ];
}

function apiVersionIssues(apiVersion: JsonValue | undefined, path: string): readonly FieldIssue[] {
  if (apiVersion === undefined) return [];
  if (typeof apiVersion !== "string") return [invalid(path, apiVersion, "must be a string")];
  if (apiVersion === "") return [invalid(path, apiVersion, "must not be empty")];
  if (apiVersion.split("/").length <= 2) return [];
  return [invalid(path, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
}

function kindIssues(kind: JsonValue | undefined, path: string): readonly FieldIssue[] {
  if (kind === undefined) return [];
  if (typeof kind !== "string") return [invalid(path, kind, "must be a string")];
  if (kind === "") return [invalid(path, kind, "must not be empty")];
  const faults = dnsLabel1035(kind.toLowerCase());
  if (faults.length === 0) return [];
  return [invalid(path, kind, `may have mixed case, but should otherwise match: ${faults.join(",")}`)];
}

function embeddedMetadataIssues(metadata: JsonValue, path: string): readonly FieldIssue[] {
  const at = childPath(path, "metadata");
  const fault = metadataTypeFault(metadata);
  if (fault !== undefined) return [invalid(at, metadata, fault)];
  const { name, namespace } = metadata as ObjectMeta;
  const kind: MetadataKind = { ...embeddedKind, scope: namespace ? "Namespaced" : "Cluster" };
  return metadataIssues({ ...(metadata as ObjectMeta), name: name || "fakename" }, kind).map((issue) => ({
    ...issue,
    field: childPath(path, issue.field),
  }));
}

/** The kind is unknown here, so any valid path segment is a valid name. */
const embeddedKind = { group: "", isCustom: true, nameRule: pathSegment };
