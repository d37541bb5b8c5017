import { type FieldIssue, forbidden, invalid, required, tooLong } from "../field-issue.ts";
import { cacheValidNames, dnsLabel, labelValue, type NameRule, pathSegment, qualifiedName } from "../names.ts";
import type { ObjectMeta } from "../object-meta.ts";
import { utf8Length } from "../utf8-length.ts";
import { type FinalizerKind, finalizerIssues } from "./finalizer-rules.ts";
import { managedFieldsIssues } from "./managed-fields-rules.ts";
import { ownerIssues } from "./owner-reference-rules.ts";

const annotationBytesMax = 256 * 1024;
const none: readonly never[] = [];

/** The parts of a kind that metadata validation depends on. */
export interface MetadataKind extends FinalizerKind {
  readonly scope: "Namespaced" | "Cluster";
  readonly nameRule: NameRule;
}

/** Kubernetes' validation of metadata, for new and changed objects. */
export function metadataIssues(metadata: ObjectMeta, kind: MetadataKind): readonly FieldIssue[] {
  return [
    ...nameIssues(metadata, kind.nameRule),
    ...namespaceIssues(metadata, kind.scope),
    ...issuesOfLabels(metadata.labels),
    ...issuesOfAnnotations(metadata.annotations),
    ...issuesOfOwners(metadata.ownerReferences),
    ...finalizerIssues(metadata.finalizers ?? none, kind),
    ...managedFieldsIssues(metadata.managedFields ?? none),
  ];
}

/** The same for an object as sent by a client: the server generates the name and sets the namespace. */
export function sentMetadataIssues(metadata: ObjectMeta, kind: MetadataKind): readonly FieldIssue[] {
  const { name = "", generateName = "", namespace = "" } = metadata;
  return metadataIssues(
    {
      ...metadata,
      ...(name === "" && generateName !== "" ? { name: "made-up" } : {}),
      ...(namespace === "" && kind.scope === "Namespaced" ? { namespace: "default" } : {}),
    },
    kind,
  );
}

function nameIssues({ name = "", generateName = "" }: ObjectMeta, rule: NameRule): readonly FieldIssue[] {
  // A prefix may end in a dash, which the generated part follows.
  const prefix = generateName === "" ? none : rule(generateName.replace(/-$/, "a"));
  const prefixIssues = prefix.map((fault) => invalid(at("generateName"), generateName, fault));
  if (name === "") return [...prefixIssues, required(at("name"), "name or generateName is required")];
  const faults = rule(name);
  const all = faults.length > 0 ? faults : pathSegment(name);
  if (all.length + prefixIssues.length === 0) return none;
  return [...prefixIssues, ...all.map((fault) => invalid(at("name"), name, fault))];
}

function namespaceIssues({ namespace = "" }: ObjectMeta, scope: MetadataKind["scope"]): readonly FieldIssue[] {
  if (scope === "Cluster") return namespace === "" ? [] : [forbidden(at("namespace"), "not allowed on this type")];
  if (namespace === "") return [required(at("namespace"))];
  const faults = namespaceFaults(namespace);
  return faults.length === 0 ? none : faults.map((fault) => invalid(at("namespace"), namespace, fault));
}

type Texts = Readonly<Record<string, string>>;

/** Caches valid parts of metadata by identity: updates mostly keep them. */
function cacheValidParts<Part extends object>(find: (part: Part) => readonly FieldIssue[]) {
  const right = new WeakSet<Part>();
  return (part: Part | undefined): readonly FieldIssue[] => {
    if (part === undefined || right.has(part)) return none;
    const issues = find(part);
    if (issues.length === 0) right.add(part);
    return issues;
  };
}

const issuesOfLabels = cacheValidParts(labelIssues);
const issuesOfAnnotations = cacheValidParts(annotationIssues);
const issuesOfOwners = cacheValidParts(ownerIssues);

function labelIssues(labels: Texts): readonly FieldIssue[] {
  if (areValidLabels(labels)) return none;
  return Object.entries(labels).flatMap(([key, value]) => [
    ...keyFaults(key).map((fault) => invalid(at("labels"), key, fault)),
    ...labelValue(value).map((fault) => invalid(at("labels"), value, fault)),
  ]);
}

function areValidLabels(labels: Texts): boolean {
  for (const key in labels) {
    if (keyFaults(key).length + labelValue(labels[key] as string).length > 0) return false;
  }
  return true;
}

function annotationIssues(annotations: Texts): readonly FieldIssue[] {
  if (areValidAnnotations(annotations)) return none;
  return [
    ...Object.keys(annotations).flatMap((key) =>
      lowerKeyFaults(key).map((fault) => invalid(at("annotations"), key, fault)),
    ),
    ...(exceedsSize(annotations) ? [tooLong(at("annotations"), annotationBytesMax)] : []),
  ];
}

function areValidAnnotations(annotations: Texts): boolean {
  for (const key in annotations) if (lowerKeyFaults(key).length > 0) return false;
  return !exceedsSize(annotations);
}

/** A UTF-16 unit takes at most three bytes, so most texts need not be measured. */
function exceedsSize(texts: Texts): boolean {
  let length = 0;
  for (const key in texts) length += key.length + (texts[key] as string).length;
  if (3 * length <= annotationBytesMax) return false;
  const bytes = Object.entries(texts).reduce((sum, entry) => sum + utf8Length(entry.join("")), 0);
  return bytes > annotationBytesMax;
}

const keyFaults = cacheValidNames(qualifiedName);
const lowerKeyFaults = cacheValidNames((key) => qualifiedName(key.toLowerCase()));
const namespaceFaults = cacheValidNames(dnsLabel);

function at(field: string): string {
  return `metadata.${field}`;
}
