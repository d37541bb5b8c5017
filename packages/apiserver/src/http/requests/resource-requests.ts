import type { ApiResponse } from "@milo-quota/kubernetes/client/transport/api-request.ts";
import { requireAllPlanes } from "../all-planes.ts";
import { methodNotAllowed } from "../responses/responses.ts";
import { deleteCollection, deleteResource } from "./delete-requests.ts";
import { getObject, listCollection, reportProgress, type WatchDeps, watchCollection } from "./read-requests.ts";
import { hasValidScope, type ResourceCall, viewOptionsOf } from "./resource-call.ts";
import { handleScale } from "./scale-requests.ts";
import { createResource, patchResource, updateResource } from "./write-requests.ts";

export function handleResource(deps: WatchDeps, call: ResourceCall): ApiResponse | Promise<ApiResponse> {
  if (!call.kind.verbs.includes(call.verb) || !hasValidScope(call)) throw methodNotAllowed();
  if (call.context.request.allPlanes === true) requireAllPlanes(call, viewOptionsOf(call, deps.registry.clock.now()));
  const { deprecationWarning } = call.kind;
  if (deprecationWarning !== undefined) call.context.warnings.push(deprecationWarning);
  if (call.path.subresource === "scale") return handleScale(deps.registry, call);
  switch (call.verb) {
    case "get":
      return getObject(deps.registry, call);
    case "list":
      return call.context.request.asksProgress === true
        ? reportProgress(deps, call)
        : listCollection(deps.registry, call);
    case "watch":
      return watchCollection(deps, call);
    case "create":
      return createResource(deps.registry, call);
    case "update":
      return updateResource(deps.registry, call);
    case "patch":
      return patchResource(deps.registry, call);
    case "delete":
      return deleteResource(deps.registry, call);
    case "deletecollection":
      return deleteCollection(deps.registry, call);
  }
}
