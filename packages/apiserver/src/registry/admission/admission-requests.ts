import type { ApiObject } from "../kinds/api-object.ts";
import type { DeleteOptions, WriteRequest } from "../object-request.ts";
import type { AdmissionRequest } from "./admission-plugin.ts";

type Options = AdmissionRequest["options"];
type Change = Pick<AdmissionRequest, "operation" | "name" | "object" | "oldObject" | "options">;

export function createRequest(request: WriteRequest, object: ApiObject): AdmissionRequest {
  const { name = "" } = object.metadata;
  return asking(request, { operation: "CREATE", name, object, options: writeOptions("CreateOptions", request) });
}

export function updateRequest(request: WriteRequest, object: ApiObject, oldObject: ApiObject): AdmissionRequest {
  const { name = "" } = oldObject.metadata;
  const options = writeOptions("UpdateOptions", request);
  return asking(request, { operation: "UPDATE", name, object, oldObject, options });
}

export function deleteRequest(request: WriteRequest, oldObject: ApiObject, asked: DeleteOptions): AdmissionRequest {
  const { uid, resourceVersion, ...rest } = asked;
  const preconditions = {
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
  const options = {
    ...metaKind("DeleteOptions"),
    ...rest,
    ...(Object.keys(preconditions).length === 0 ? {} : { preconditions }),
    ...dryRunPart(request),
  };
  return asking(request, { operation: "DELETE", name: oldObject.metadata.name ?? "", oldObject, options });
}

function asking(request: WriteRequest, change: Change): AdmissionRequest {
  const { plane, kind, namespace, subresource, user: userInfo, dryRun, warn } = request;
  const { operation, name, object, oldObject, options } = change;
  return { plane, kind, namespace, name, subresource, operation, object, oldObject, options, userInfo, dryRun, warn };
}

function writeOptions(kind: string, { dryRun, manager, fieldValidation }: WriteRequest): Options {
  const options: Record<string, unknown> = metaKind(kind);
  if (dryRun) options["dryRun"] = ["All"];
  if (manager !== "") options["fieldManager"] = manager;
  options["fieldValidation"] = fieldValidation;
  return options;
}

function metaKind(kind: string): Record<string, string> {
  return { kind, apiVersion: "meta.k8s.io/v1" };
}

function dryRunPart({ dryRun }: WriteRequest): Options {
  return dryRun ? { dryRun: ["All"] } : {};
}
