import { type FieldIssue, invalid } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { type JsonObject, setOwn } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { UserInfo } from "@milo-quota/kubernetes/protocol/user-info.ts";
import type { RequestAttributes } from "../authorizer.ts";
import { type FieldLocation, readObject, readText, readTexts, within } from "./review-fields.ts";
import { type ReviewSelector, readSelector, selectorIssues } from "./review-selector.ts";

/** What a review of access asks about, read from its spec. */
export interface AccessQuestion {
  readonly resource: ResourceQuestion | undefined;
  readonly path: { readonly path: string; readonly verb: string } | undefined;
  /** Who is asked about; a self review asks about the one who sends it. */
  readonly subject: UserInfo;
}

export interface ResourceQuestion {
  readonly attributes: Pick<
    RequestAttributes,
    "namespace" | "verb" | "group" | "version" | "resource" | "subresource" | "name"
  >;
  readonly fieldSelector: ReviewSelector | undefined;
  readonly labelSelector: ReviewSelector | undefined;
}

export function readQuestion(review: JsonObject, kind: string): AccessQuestion {
  const root: FieldLocation = { review: kind, path: "" };
  const spec = readObject(review, "spec", root) ?? {};
  const location = within(root, "spec");
  const path = readObject(spec, "nonResourceAttributes", location);
  const pathLocation = within(location, "nonResourceAttributes");
  const resource = readObject(spec, "resourceAttributes", location);
  return {
    resource: resource && readResource(resource, within(location, "resourceAttributes")),
    path: path && { path: readText(path, "path", pathLocation), verb: readText(path, "verb", pathLocation) },
    subject: readSubject(spec, location),
  };
}

function readResource(resource: JsonObject, location: FieldLocation): ResourceQuestion {
  const text = (key: string) => readText(resource, key, location);
  return {
    attributes: {
      namespace: text("namespace"),
      verb: text("verb"),
      group: text("group"),
      version: text("version") || "*",
      resource: text("resource"),
      subresource: text("subresource"),
      name: text("name"),
    },
    fieldSelector: readSelector(resource, "field", location),
    labelSelector: readSelector(resource, "label", location),
  };
}

function readSubject(spec: JsonObject, location: FieldLocation): UserInfo {
  const extra: Record<string, readonly string[]> = {};
  const sent = readObject(spec, "extra", location) ?? {};
  for (const key of Object.keys(sent)) setOwn(extra, key, readTexts(sent, key, within(location, "extra")));
  return {
    username: readText(spec, "user", location),
    uid: readText(spec, "uid", location),
    groups: readTexts(spec, "groups", location),
    extra,
  };
}

/** What is wrong with a question, whoever it is about. */
export function questionIssues({ resource, path }: AccessQuestion): readonly FieldIssue[] {
  const issues: FieldIssue[] = [];
  if (resource !== undefined && path !== undefined) {
    issues.push(pathIssue(path, "cannot be specified in combination with resourceAttributes"));
  }
  if (resource === undefined && path === undefined) {
    const detail = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
    issues.push(invalid("spec.resourceAttributes", null, detail));
  }
  return issues;
}

export function subjectIssues({ subject }: AccessQuestion): readonly FieldIssue[] {
  const isNamed = subject.username !== "" || subject.groups.length > 0;
  return isNamed ? [] : [invalid("spec.user", "", "at least one of user or group must be specified")];
}

export function attributeIssues({ resource }: AccessQuestion): readonly FieldIssue[] {
  return resource === undefined
    ? []
    : [...selectorIssues(resource.fieldSelector, "field"), ...selectorIssues(resource.labelSelector, "label")];
}

export function pathIssue(attributes: NonNullable<AccessQuestion["path"]>, detail: string): FieldIssue {
  return invalid("spec.nonResourceAttributes", attributes, detail);
}
