import type { AdmissionRequest, AdmittedKind, Operation } from "@milo-quota/kubernetes/protocol/admission-request.ts";
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { UserInfo } from "@milo-quota/kubernetes/protocol/user-info.ts";

interface ReviewRequest extends Omit<AdmissionRequest, "plane" | "warn"> {
  /** Must be repeated in the response. */
  readonly uid: string;
}

export class InvalidReview extends Error {
  override readonly name = "InvalidReview";
}

/** Reads an AdmissionReview of version v1; throws InvalidReview. */
export function readReview(review: JsonValue): ReviewRequest {
  if (!isJsonObject(review) || ownValue(review, "kind") !== "AdmissionReview")
    throw new InvalidReview("the body is not an AdmissionReview");
  const apiVersion = ownValue(review, "apiVersion");
  if (apiVersion !== "admission.k8s.io/v1") {
    throw new InvalidReview(`unsupported AdmissionReview version ${String(apiVersion)}: must be admission.k8s.io/v1`);
  }
  const request = ownValue(review, "request");
  if (!isJsonObject(request)) throw new InvalidReview("the AdmissionReview has no request");
  const uid = text(request, "uid");
  if (uid === "") throw new InvalidReview("the request has no uid");
  const kind = kindIn(request);
  const [object, oldObject] = [objectIn(request, "object"), objectIn(request, "oldObject")];
  return {
    uid,
    operation: text(request, "operation") as Operation,
    kind,
    subresource: text(request, "subResource"),
    namespace: kind.scope === "Cluster" ? "" : text(request, "namespace"),
    // A generated name is only in the object.
    name: text(part(object ?? oldObject ?? {}, "metadata"), "name") || text(request, "name"),
    userInfo: userIn(part(request, "userInfo")),
    dryRun: ownValue(request, "dryRun") === true,
    object,
    oldObject,
    options: part(request, "options"),
  };
}

function objectIn(request: JsonObject, field: "object" | "oldObject"): JsonObject | undefined {
  const object = ownValue(request, field);
  return isJsonObject(object) ? object : undefined;
}

/** Requests for cluster-scoped objects have no namespace, except for those for a Namespace. */
function kindIn(request: JsonObject): AdmittedKind {
  const resource = part(request, "resource");
  const [group, plural] = [text(resource, "group"), text(resource, "resource")];
  const isNamespace = group === "" && plural === "namespaces";
  return {
    group,
    version: text(resource, "version"),
    kind: text(part(request, "kind"), "kind"),
    plural,
    scope: isNamespace || text(request, "namespace") === "" ? "Cluster" : "Namespaced",
  };
}

function userIn(user: JsonObject): UserInfo {
  const extra = Object.entries(part(user, "extra")).map(([name, values]) => [name, texts(values)] as const);
  return {
    username: text(user, "username"),
    uid: text(user, "uid"),
    groups: texts(ownValue(user, "groups")),
    extra: Object.fromEntries(extra),
  };
}

function part(object: JsonObject, field: string): JsonObject {
  const value = ownValue(object, field);
  return isJsonObject(value) ? value : {};
}

function text(object: JsonObject, field: string): string {
  const value = ownValue(object, field);
  return typeof value === "string" ? value : "";
}

function texts(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === "string") : [];
}
