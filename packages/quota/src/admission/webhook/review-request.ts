import type { AdmissionRequest, AdmittedKind, Operation } from "@milo-quota/kubernetes/protocol/admission-request.ts";
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { UserInfo } from "@milo-quota/kubernetes/protocol/user-info.ts";

/** What an API server asks. */
interface ReviewRequest extends Omit<AdmissionRequest, "plane" | "warn"> {
  /** To be repeated in the answer. */
  readonly uid: string;
}

/** Why a body is no review. */
export class NoReview extends Error {
  override readonly name = "NoReview";
}

/** Reads an AdmissionReview of version v1; throws NoReview. */
export function readReview(review: JsonValue): ReviewRequest {
  if (!isJsonObject(review) || ownValue(review, "kind") !== "AdmissionReview") throw new NoReview("no AdmissionReview");
  const apiVersion = ownValue(review, "apiVersion");
  if (apiVersion !== "admission.k8s.io/v1") {
    throw new NoReview(`AdmissionReview of ${String(apiVersion)}, where admission.k8s.io/v1 is understood`);
  }
  const request = ownValue(review, "request");
  if (!isJsonObject(request)) throw new NoReview("an AdmissionReview without a request");
  const uid = text(request, "uid");
  if (uid === "") throw new NoReview("a request without a uid");
  const kind = kindIn(request);
  const [object, oldObject] = [objectIn(request, "object"), objectIn(request, "oldObject")];
  return {
    uid,
    operation: text(request, "operation") as Operation,
    kind,
    subresource: text(request, "subResource"),
    namespace: kind.scope === "Cluster" ? "" : text(request, "namespace"),
    // A name that the server made up is in the object alone.
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

/** A request for something in no namespace names none; but a Namespace counts as being in itself. */
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
