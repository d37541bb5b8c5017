import {
  childPath,
  type FieldIssue,
  forbidden,
  invalid,
  required,
  tooLong,
} from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { quote } from "@milo-quota/kubernetes/protocol/go-quote.ts";
import { type JsonValue, jsonEquals } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { dnsLabel, labelValue, type NameRule, qualifiedName } from "@milo-quota/kubernetes/protocol/names.ts";
import {
  type ManagedFieldsEntry,
  type ObjectMeta,
  type OwnerReference,
  parseApiVersion,
} from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { ServedKind } from "../kinds/served-kind.ts";
import { pathSegmentIssues } from "./object-name.ts";

const annotationBytesMax = 256 * 1024;
const managerLengthMax = 128;
export const orphanFinalizer = "orphan";
export const foregroundFinalizer = "foregroundDeletion";

const immutable = "field is immutable";
const none: readonly never[] = [];

/** What Kubernetes demands of the metadata of any object, new or changed. */
export function metadataIssues(metadata: ObjectMeta, kind: ServedKind): readonly FieldIssue[] {
  return [
    ...nameIssues(metadata, kind.nameRule),
    ...namespaceIssues(metadata, kind.scope),
    ...issuesOfLabels(metadata.labels),
    ...issuesOfAnnotations(metadata.annotations),
    ...issuesOfOwners(metadata.ownerReferences),
    ...finalizerIssues(metadata.finalizers ?? none, kind),
    ...entryIssues(metadata.managedFields ?? none),
  ];
}

const fixed = [
  "name",
  "namespace",
  "uid",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
] as const;

/** What an update may not do to metadata. */
export function metadataChangeIssues(metadata: ObjectMeta, old: ObjectMeta): readonly FieldIssue[] {
  const isFine = old.deletionTimestamp === undefined && metadata.resourceVersion && areFixed(metadata, old);
  if (isFine) return none;
  return [
    ...newFinalizerIssues(metadata, old),
    ...(metadata.resourceVersion ? [] : [invalid(at("resourceVersion"), "", "must be specified for an update")]),
    ...fixed
      .filter((field) => !jsonEquals((metadata[field] ?? null) as JsonValue, (old[field] ?? null) as JsonValue))
      .map((field) => invalid(at(field), metadata[field] ?? "", immutable)),
  ];
}

/** Whether what may not change is the very same, as it nearly always is. */
function areFixed(metadata: ObjectMeta, old: ObjectMeta): boolean {
  for (const field of fixed) if (metadata[field] !== old[field]) return false;
  return true;
}

function nameIssues({ name = "", generateName = "" }: ObjectMeta, rule: NameRule): readonly FieldIssue[] {
  // A prefix may end in a dash, which the generated part follows.
  const prefix = generateName === "" ? none : rule(generateName.replace(/-$/, "a"));
  const prefixIssues = prefix.map((fault) => invalid(at("generateName"), generateName, fault));
  if (name === "") return [...prefixIssues, required(at("name"), "name or generateName is required")];
  const faults = rule(name);
  const all = faults.length > 0 ? faults : pathSegmentIssues(name);
  if (all.length + prefixIssues.length === 0) return none;
  return [...prefixIssues, ...all.map((fault) => invalid(at("name"), name, fault))];
}

function namespaceIssues({ namespace = "" }: ObjectMeta, scope: ServedKind["scope"]): readonly FieldIssue[] {
  if (scope === "Cluster") return namespace === "" ? [] : [forbidden(at("namespace"), "not allowed on this type")];
  if (namespace === "") return [required(at("namespace"))];
  const faults = namespaceFaults(namespace);
  return faults.length === 0 ? none : faults.map((fault) => invalid(at("namespace"), namespace, fault));
}

type Texts = Readonly<Record<string, string>>;

/** Looks at a part of metadata until nothing is wrong with it: updates mostly leave parts, the very same ones. */
function onceRight<Part extends object>(find: (part: Part) => readonly FieldIssue[]) {
  const right = new WeakSet<Part>();
  return (part: Part | undefined): readonly FieldIssue[] => {
    if (part === undefined || right.has(part)) return none;
    const issues = find(part);
    if (issues.length === 0) right.add(part);
    return issues;
  };
}

const issuesOfLabels = onceRight(labelIssues);
const issuesOfAnnotations = onceRight(annotationIssues);
const issuesOfOwners = onceRight(ownerIssues);

function labelIssues(labels: Texts): readonly FieldIssue[] {
  if (areRightLabels(labels)) return none;
  return Object.entries(labels).flatMap(([key, value]) => [
    ...keyFaults(key).map((fault) => invalid(at("labels"), key, fault)),
    ...labelValue(value).map((fault) => invalid(at("labels"), value, fault)),
  ]);
}

function areRightLabels(labels: Texts): boolean {
  for (const key in labels) {
    if (keyFaults(key).length + labelValue(labels[key] as string).length > 0) return false;
  }
  return true;
}

function annotationIssues(annotations: Texts): readonly FieldIssue[] {
  if (areRightAnnotations(annotations)) return none;
  return [
    ...Object.keys(annotations).flatMap((key) =>
      lowerKeyFaults(key).map((fault) => invalid(at("annotations"), key, fault)),
    ),
    ...(isTooMuch(annotations) ? [tooLong(at("annotations"), annotationBytesMax)] : []),
  ];
}

function areRightAnnotations(annotations: Texts): boolean {
  for (const key in annotations) if (lowerKeyFaults(key).length > 0) return false;
  return !isTooMuch(annotations);
}

/** No character takes more than three bytes for each of its halves, so most texts need not be counted. */
function isTooMuch(texts: Texts): boolean {
  let length = 0;
  for (const key in texts) length += key.length + (texts[key] as string).length;
  if (3 * length <= annotationBytesMax) return false;
  const bytes = Object.entries(texts).reduce((sum, entry) => sum + Buffer.byteLength(entry.join("")), 0);
  return bytes > annotationBytesMax;
}

/** Remembers texts that nothing is wrong with: objects of all kinds have the same ones again and again. */
function rememberingRight(rule: NameRule): NameRule {
  const right = new Set<string>();
  return (text) => {
    if (right.has(text)) return none;
    const faults = rule(text);
    if (faults.length > 0) return faults;
    if (right.size >= rightTextsMax) right.clear();
    right.add(text);
    return none;
  };
}

const rightTextsMax = 1_000;
const keyFaults = rememberingRight(qualifiedName);
const lowerKeyFaults = rememberingRight((key) => qualifiedName(key.toLowerCase()));
const namespaceFaults = rememberingRight(dnsLabel);

function ownerIssues(owners: readonly OwnerReference[]): readonly FieldIssue[] {
  const [only] = owners;
  if (owners.length === 1 && only?.apiVersion && only.kind && only.kind !== "Event" && only.name && only.uid)
    return none;
  return [...owners.flatMap(ownerFaults), ...controllerFaults(owners)];
}

function ownerFaults(owner: OwnerReference): readonly FieldIssue[] {
  const path = at("ownerReferences");
  const { version, group } = parseApiVersion(owner.apiVersion ?? "");
  const empty = (["kind", "name", "uid"] as const).filter((field) => !owner[field]);
  const isEvent = group === "" && version === "v1" && owner.kind === "Event";
  return [
    ...(version === ""
      ? [invalid(childPath(path, "apiVersion"), owner.apiVersion ?? "", "version must not be empty")]
      : []),
    ...empty.map((field) => invalid(childPath(path, field), "", "must not be empty")),
    ...(isEvent ? [invalid(path, owner, "/v1, Kind=Event is disallowed from being an owner")] : []),
  ];
}

function controllerFaults(owners: readonly OwnerReference[]): readonly FieldIssue[] {
  const [first, ...others] = owners
    .filter((owner) => owner.controller === true)
    .map(({ kind, name }) => `${kind}/${name}`);
  const path = at("ownerReferences");
  const fault = `Only one reference can have Controller set to true. Found "true" in references for`;
  return others.map((other) => invalid(path, owners, `${fault} ${first} and ${other}`));
}

/** Finalizers of Kubernetes itself that go without the domain of whoever owns them. */
const standardFinalizers = ["kubernetes", orphanFinalizer, foregroundFinalizer];

/** Groups whose kinds Kubernetes holds to no more than what custom kinds are held to. */
const lenientGroups = ["apiextensions.k8s.io", "admissionregistration.k8s.io"];

function finalizerIssues(finalizers: readonly string[], { isCustom, group }: ServedKind): readonly FieldIssue[] {
  if (finalizers.length === 0) return none;
  const isOrdinary = (name: string): boolean => name.includes("/") && keyFaults(name).length === 0;
  if (finalizers.every(isOrdinary)) return none;
  const path = at("finalizers");
  const both = finalizers.includes(orphanFinalizer) && finalizers.includes(foregroundFinalizer);
  const clash = `finalizer ${orphanFinalizer} and ${foregroundFinalizer} cannot be both set`;
  return [
    ...finalizers.flatMap((name) => qualifiedName(name).map((fault) => invalid(path, name, fault))),
    ...(both ? [invalid(path, finalizers, clash)] : []),
    ...(isCustom || lenientGroups.includes(group) ? [] : finalizers.flatMap(ownerlessIssues)),
  ];
}

function ownerlessIssues(name: string, index: number): readonly FieldIssue[] {
  if (name.includes("/") || standardFinalizers.includes(name)) return [];
  const fault = "name is neither a standard finalizer name nor is it fully qualified";
  return [invalid(`${at("finalizers")}[${index}]`, name, fault)];
}

function newFinalizerIssues({ finalizers = [] }: ObjectMeta, old: ObjectMeta): readonly FieldIssue[] {
  if (old.deletionTimestamp === undefined) return [];
  const added = [...new Set(finalizers)].filter((name) => !(old.finalizers ?? []).includes(name)).sort();
  if (added.length === 0) return [];
  const found = `[]string{${added.map(quote).join(", ")}}`;
  const fault = `no new finalizers can be added if the object is being deleted, found new finalizers ${found}`;
  return [forbidden(at("finalizers"), fault)];
}

function entryIssues(entries: readonly ManagedFieldsEntry[]): readonly FieldIssue[] {
  return entries.every(isRightEntry) ? none : entries.flatMap(managedFieldIssues);
}

function isRightEntry({ operation, fieldsType = "FieldsV1", manager = "" }: ManagedFieldsEntry): boolean {
  return (operation === "Apply" || operation === "Update") && fieldsType === "FieldsV1" && isManager(manager);
}

function managedFieldIssues(entry: ManagedFieldsEntry, index: number): readonly FieldIssue[] {
  const { operation, fieldsType = "FieldsV1", manager = "" } = entry;
  if (isRightEntry(entry)) return none;
  const isOperation = operation === "Apply" || operation === "Update";
  const path = `${at("managedFields")}[${index}]`;
  return [
    ...(isOperation ? [] : [invalid(childPath(path, "operation"), operation ?? "", "must be `Apply` or `Update`")]),
    ...(fieldsType === "FieldsV1" ? [] : [invalid(childPath(path, "fieldsType"), fieldsType, "must be `FieldsV1`")]),
    ...managerIssues(manager, childPath(path, "manager")),
  ];
}

/** Names of field managers are short and printable. */
export function managerIssues(manager: string, path: string): readonly FieldIssue[] {
  if (isManager(manager)) return none;
  const long = Buffer.byteLength(manager) > managerLengthMax ? [tooLong(path, managerLengthMax)] : [];
  const unprintable = [...manager.matchAll(/[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu)].map(({ 0: character, index }) => {
    const code = (character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, "0");
    return invalid(path, manager, `invalid character U+${code} (at position ${index})`);
  });
  return [...long, ...unprintable];
}

function isManager(manager: string): boolean {
  return manager.length <= managerLengthMax && /^[ -~]*$/.test(manager);
}

function at(field: string): string {
  return `metadata.${field}`;
}
