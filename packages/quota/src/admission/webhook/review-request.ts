import type { ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { RequestUser } from "../../core/policy/policy-variables.ts";
import type { ObjectChange, ObjectRemoval } from "../object-change.ts";

/** What an API server asks. */
export interface ReviewRequest {
  /** To be repeated in the answer. */
  readonly uid: string;
  /** Undefined for what is no object being created or changed. */
  readonly change: Omit<ObjectChange, "plane" | "warn" | "waitMsMax"> | undefined;
  /** Undefined for what is no object being deleted. */
  readonly removal: Omit<ObjectRemoval, "plane" | "warn"> | undefined;
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
  return { uid, change: changeIn(request), removal: removalIn(request) };
}

function removalIn(request: JsonObject): ReviewRequest["removal"] {
  const oldObject = ownValue(request, "oldObject");
  if (text(request, "operation") !== "DELETE" || !isJsonObject(oldObject)) return undefined;
  return {
    type: typeIn(request),
    kind: text(part(request, "kind"), "kind"),
    namespace: text(request, "namespace"),
    name: text(part(oldObject, "metadata"), "name") || text(request, "name"),
    user: userIn(part(request, "userInfo")),
    oldObject,
  };
}

function changeIn(request: JsonObject): ReviewRequest["change"] {
  const operation = text(request, "operation");
  const object = ownValue(request, "object");
  const oldObject = ownValue(request, "oldObject");
  if ((operation !== "CREATE" && operation !== "UPDATE") || !isJsonObject(object)) return undefined;
  const type = typeIn(request);
  return {
    operation,
    type,
    kind: text(part(request, "kind"), "kind"),
    subresource: text(request, "subResource"),
    namespace: type.scope === "Cluster" ? "" : text(request, "namespace"),
    // A name that the server made up is in the object alone.
    name: text(part(object, "metadata"), "name") || text(request, "name"),
    user: userIn(part(request, "userInfo")),
    dryRun: ownValue(request, "dryRun") === true,
    object,
    oldObject: operation === "UPDATE" && isJsonObject(oldObject) ? oldObject : undefined,
  };
}

/** A request for something in no namespace names none; but a Namespace counts as being in itself. */
function typeIn(request: JsonObject): ResourceType {
  const resource = part(request, "resource");
  const type = {
    group: text(resource, "group"),
    version: text(resource, "version"),
    plural: text(resource, "resource"),
  };
  const isNamespace = type.group === "" && type.plural === "namespaces";
  return { ...type, scope: isNamespace || text(request, "namespace") === "" ? "Cluster" : "Namespaced" };
}

function userIn(user: JsonObject): RequestUser {
  const extra = Object.entries(part(user, "extra")).map(([name, values]) => [name, texts(values)] as const);
  return {
    name: text(user, "username"),
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
