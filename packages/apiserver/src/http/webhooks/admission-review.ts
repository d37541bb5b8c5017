import type { JsonObject, JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { formatApiVersion } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { AdmissionRequest } from "../../registry/admission/admission-plugin.ts";
import type { ApiObject } from "../../registry/kinds/api-object.ts";
import type { ServedKind } from "../../registry/kinds/served-kind.ts";
import { isNamespaceKind } from "../../registry/lifecycle/namespace-lifecycle.ts";
import { userInfoJson } from "../access/well-known-users.ts";

const knownVersions = ["v1", "v1beta1"];

/** The first supported AdmissionReview version that the webhook accepts; undefined when there is none. */
export function reviewVersion(accepted: readonly string[]): string | undefined {
  return accepted.find((version) => knownVersions.includes(version));
}

/** The request to a webhook, with the object in the version of `kind`. */
export function admissionReview(request: AdmissionRequest, kind: ServedKind, uid: string, version: string): JsonObject {
  return {
    kind: "AdmissionReview",
    apiVersion: `admission.k8s.io/${version}`,
    request: {
      uid,
      ...requestJson(request, kind),
      object: inVersion(request.object, kind),
      oldObject: inVersion(request.oldObject, kind),
    },
  };
}

/** The request without its objects. Empty fields are omitted, as in Kubernetes. */
export function requestJson(request: AdmissionRequest, kind: ServedKind): JsonObject {
  const { subresource, name } = request;
  const namespace = namespaceOf(request);
  return {
    kind: kindJson(kind),
    resource: resourceJson(kind),
    ...(subresource === "" ? {} : { subResource: subresource }),
    requestKind: kindJson(request.kind),
    requestResource: resourceJson(request.kind),
    ...(subresource === "" ? {} : { requestSubResource: subresource }),
    ...(name === "" ? {} : { name }),
    ...(namespace === "" ? {} : { namespace }),
    operation: request.operation,
    userInfo: userInfoJson(request.userInfo),
    dryRun: request.dryRun,
    options: request.options as JsonValue,
  };
}

/** For Kubernetes a Namespace object is in its own namespace. */
export function namespaceOf({ kind, name, namespace }: Pick<AdmissionRequest, "kind" | "name" | "namespace">): string {
  return isNamespaceKind(kind) ? name : namespace;
}

/** Versions of a kind differ by apiVersion only. */
export function inVersion(object: ApiObject | undefined, kind: ServedKind): ApiObject | null {
  if (object === undefined) return null;
  const apiVersion = formatApiVersion(kind.group, kind.version);
  return object.apiVersion === apiVersion ? object : ({ ...object, apiVersion } as ApiObject);
}

function kindJson({ group, version, kind }: ServedKind): JsonObject {
  return { group, version, kind };
}

function resourceJson({ group, version, plural }: ServedKind): JsonObject {
  return { group, version, resource: plural };
}
