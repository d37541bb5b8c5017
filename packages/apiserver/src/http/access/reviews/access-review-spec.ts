import { type FieldIssue, invalid } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { type JsonObject, setOwn } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { UserInfo } from "@milo-quota/kubernetes/protocol/user-info.ts";
import type { RequestAttributes } from "../authorizer.ts";
import { type FieldLocation, readObject, readText, readTexts, within } from "./review-fields.ts";
import { type ReviewSelector, readSelector, selectorIssues } from "./review-selector.ts";

/** The question of an access review, read from its spec. */
export interface AccessReviewSpec {
  readonly resource: ResourceSpec | undefined;
  readonly path: { readonly path: string; readonly verb: string } | undefined;
  /** The user in question; a self review is about its sender. */
  readonly subject: UserInfo;
}

export interface ResourceSpec {
  readonly attributes: Pick<
    RequestAttributes,
    "namespace" | "verb" | "group" | "version" | "resource" | "subresource" | "name"
  >;
  readonly fieldSelector: ReviewSelector | undefined;
  readonly labelSelector: ReviewSelector | undefined;
}

export function readSpec(review: JsonObject, kind: string): AccessReviewSpec {
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

function readResource(resource: JsonObject, location: FieldLocation): ResourceSpec {
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

/** Validates a review spec, for any subject. */
export function specIssues_({ resource, path }: AccessReviewSpec): readonly FieldIssue[] {
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

export function subjectIssues({ subject }: AccessReviewSpec): readonly FieldIssue[] {
  const isNamed = subject.username !== "" || subject.groups.length > 0;
  return isNamed ? [] : [invalid("spec.user", "", "at least one of user or group must be specified")];
}

export function attributeIssues({ resource }: AccessReviewSpec): readonly FieldIssue[] {
  return resource === undefined
    ? []
    : [...selectorIssues(resource.fieldSelector, "field"), ...selectorIssues(resource.labelSelector, "label")];
}

export function pathIssue(attributes: NonNullable<AccessReviewSpec["path"]>, detail: string): FieldIssue {
  return invalid("spec.nonResourceAttributes", attributes, detail);
}
