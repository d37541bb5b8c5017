import { childPath, type FieldIssue, forbidden, invalid, required } from "./field-issue.ts";
import { dnsLabel, dnsSubdomain, labelValue, type NameRule, qualifiedName } from "./names.ts";
import type { ObjectMeta } from "./object-meta.ts";

const path = "metadata";
const annotationBytesMax = 256 * 1024;

/** What Kubernetes demands of the metadata of an object that is being made. */
export function metadataIssues(metadata: ObjectMeta, scope: "Namespaced" | "Cluster"): readonly FieldIssue[] {
  const { labels = {}, annotations = {} } = metadata;
  return [
    ...nameIssues(metadata),
    ...namespaceIssues(metadata, scope),
    ...Object.entries(labels).flatMap(([key, value]) => [
      ...broken("labels", key, qualifiedName),
      ...broken("labels", value, labelValue),
    ]),
    ...Object.keys(annotations).flatMap((key) => broken("annotations", key.toLowerCase(), qualifiedName)),
    ...annotationSizeIssues(annotations),
  ];
}

/** A prefix is fine without its last dash, which the generated part follows. */
function nameIssues({ name, generateName }: ObjectMeta): readonly FieldIssue[] {
  if (name) return broken("name", name, dnsSubdomain);
  if (generateName) return broken("generateName", generateName.replace(/-$/, "a"), dnsSubdomain);
  return [required(childPath(path, "name"), "name or generateName is required")];
}

function namespaceIssues({ namespace = "" }: ObjectMeta, scope: "Namespaced" | "Cluster"): readonly FieldIssue[] {
  if (namespace === "") return [];
  const at = childPath(path, "namespace");
  return scope === "Cluster" ? [forbidden(at, "not allowed on this type")] : broken("namespace", namespace, dnsLabel);
}

function annotationSizeIssues(annotations: Readonly<Record<string, string>>): readonly FieldIssue[] {
  const bytes = Object.entries(annotations).reduce((sum, [key, value]) => sum + key.length + value.length, 0);
  if (bytes <= annotationBytesMax) return [];
  const at = childPath(path, "annotations");
  return [
    { type: "FieldValueTooLong", field: at, message: `Too long: may not be more than ${annotationBytesMax} bytes` },
  ];
}

function broken(field: string, value: string, rule: NameRule): readonly FieldIssue[] {
  return rule(value).map((fault) => invalid(childPath(path, field), value, fault));
}
