import { invalidObject, StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { type FieldIssue, invalid } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownValue,
  setOwn,
} from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { UserInfo } from "@milo-quota/kubernetes/protocol/user-info.ts";
import { type RequestAttributes, resourceAttributes } from "../authorizer.ts";
import {
  type AccessReviewSpec,
  attributeIssues,
  pathIssue,
  readSpec,
  specIssues_,
  subjectIssues,
} from "./access-review-spec.ts";
import type { ReviewContext, ReviewDeps } from "./review-context.ts";
import { badRequest, readReview } from "./review-fields.ts";
import { selectorProblem } from "./review-selector.ts";

const group = "authorization.k8s.io";

/** May I? Rejects with a StatusError, as all reviews do. */
export async function selfSubjectAccessReview(
  body: unknown,
  context: ReviewContext,
  { authorizer }: ReviewDeps,
  signal: AbortSignal,
): Promise<JsonObject> {
  const kind = "SelfSubjectAccessReview";
  const review = readReview(body, kind, group);
  const question = readSpec(review, kind);
  throwIfInvalid([
    ...specIssues_(question),
    ...attributeIssues(question),
    ...metadataIssues(review, [], "must be empty"),
  ]);
  const decision = await authorizer.authorize(attributesOf(question, context.user, context), signal);
  return respond(kind, review, selfSpecFields, statusOf(decision, question));
}

/** May that other user? */
export async function subjectAccessReview(
  body: unknown,
  context: ReviewContext,
  { authorizer }: ReviewDeps,
  signal: AbortSignal,
): Promise<JsonObject> {
  const kind = "SubjectAccessReview";
  const review = readReview(body, kind, group);
  const question = readSpec(review, kind);
  throwIfInvalid([...specIssues(question), ...metadataIssues(review, [], "must be empty")]);
  const decision = await authorizer.authorize(attributesOf(question, question.subject, context), signal);
  return respond(kind, review, specFields, statusOf(decision, question));
}

/** The same within one namespace, for users who may ask about that namespace only. */
export async function localSubjectAccessReview(
  body: unknown,
  context: ReviewContext,
  { authorizer }: ReviewDeps,
  signal: AbortSignal,
): Promise<JsonObject> {
  const kind = "LocalSubjectAccessReview";
  const review = inNamespace(readReview(body, kind, group), context.namespace);
  const question = readSpec(review, kind);
  throwIfInvalid([
    ...specIssues(question),
    ...metadataIssues(review, ["namespace"], "must be empty except for namespace"),
    ...localIssues(question, context.namespace),
  ]);
  const decision = await authorizer.authorize(attributesOf(question, question.subject, context), signal);
  return respond(kind, review, specFields, statusOf(decision, question));
}

function specIssues(question: AccessReviewSpec): readonly FieldIssue[] {
  return [...specIssues_(question), ...subjectIssues(question), ...attributeIssues(question)];
}

function inNamespace(review: JsonObject, namespace: string): JsonObject {
  const metadata = metadataOf(review);
  const sent = ownValue(metadata, "namespace") ?? "";
  if (namespace === "") throw badRequest("namespace is required on this type: ");
  if (sent !== "" && sent !== namespace) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
  return { ...review, metadata: { ...metadata, namespace } };
}

function localIssues({ resource, path }: AccessReviewSpec, namespace: string): readonly FieldIssue[] {
  const issues: FieldIssue[] = [];
  if (resource !== undefined && resource.attributes.namespace !== namespace) {
    const field = "spec.resourceAttributes.namespace";
    issues.push(invalid(field, resource.attributes.namespace, "must match metadata.namespace"));
  }
  if (path !== undefined) issues.push(pathIssue(path, "disallowed on this kind of request"));
  return issues;
}

function metadataIssues(review: JsonObject, allowed: readonly string[], detail: string): readonly FieldIssue[] {
  const metadata = metadataOf(review);
  const meant = Object.entries(metadata).filter(([key, value]) => !isNothing(value) && !allowed.includes(key));
  return meant.some(([key]) => key !== "managedFields") ? [invalid("metadata", metadata, detail)] : [];
}

function isNothing(value: JsonValue): boolean {
  if (value === null || value === "" || value === 0) return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

function metadataOf(review: JsonObject): JsonObject {
  const metadata = ownValue(review, "metadata");
  return isJsonObject(metadata) ? metadata : {};
}

/** Kubernetes omits name and kind in these responses. */
function throwIfInvalid(issues: readonly FieldIssue[]): void {
  if (issues.length === 0) return;
  const status = invalidObject({ group, kind: "" }, "", issues);
  const causes = status.details?.causes ?? [];
  throw new StatusError({ ...status, details: { group, causes } });
}

function attributesOf(
  { resource, path }: AccessReviewSpec,
  user: UserInfo,
  { plane, view }: ReviewContext,
): RequestAttributes {
  const scope = { plane, ...(view === undefined ? {} : { view }) };
  if (resource !== undefined) return resourceAttributes(user, { ...scope, ...resource.attributes });
  const nothing = resourceAttributes(user, { verb: path?.verb ?? "", ...scope, group: "", resource: "" });
  return { ...nothing, version: "", path: path?.path ?? "", isResource: false };
}

function statusOf(
  decision: { readonly outcome: string; readonly reason: string },
  { resource }: AccessReviewSpec,
): JsonObject {
  const problems = [
    selectorProblem(resource?.fieldSelector, "field"),
    selectorProblem(resource?.labelSelector, "label"),
  ].filter((problem) => problem !== undefined);
  return {
    allowed: decision.outcome === "allow",
    ...(decision.outcome === "deny" ? { denied: true } : {}),
    ...(decision.reason === "" ? {} : { reason: decision.reason }),
    ...(problems.length === 0 ? {} : { evaluationError: problems.join("; ") }),
  };
}

const selfSpecFields = ["resourceAttributes", "nonResourceAttributes"];
const specFields = [...selfSpecFields, "user", "groups", "extra", "uid"];

function respond(kind: string, review: JsonObject, fields: readonly string[], status: JsonObject): JsonObject {
  const sent = ownValue(review, "spec");
  const spec: Record<string, JsonValue> = {};
  for (const field of fields) {
    const value = isJsonObject(sent) ? ownValue(sent, field) : undefined;
    if (value !== undefined && value !== null) setOwn(spec, field, value);
  }
  return { kind, apiVersion: `${group}/v1`, metadata: metadataOf(review), spec, status };
}
