import type { ApiAnswer } from "@milo-quota/kubernetes/client/transport/api-request.ts";
import { requireAllPlanes } from "../all-planes.ts";
import { methodNotAllowed } from "../answers/answers.ts";
import { remove, removeCollection } from "./delete-requests.ts";
import { getObject, listCollection, tellProgress, type WatchDeps, watchCollection } from "./read-requests.ts";
import { isInPlace, type ResourceCall, showingOf } from "./resource-call.ts";
import { answerScale } from "./scale-requests.ts";
import { create, patch, update } from "./write-requests.ts";

/** Answers a request about objects, by its verb. */
export function answerResource(deps: WatchDeps, call: ResourceCall): ApiAnswer | Promise<ApiAnswer> {
  if (!call.kind.verbs.includes(call.verb) || !isInPlace(call)) throw methodNotAllowed();
  if (call.context.request.allPlanes === true) requireAllPlanes(call, showingOf(call, deps.registry.clock.now()));
  const { deprecationWarning } = call.kind;
  if (deprecationWarning !== undefined) call.context.warnings.push(deprecationWarning);
  if (call.path.subresource === "scale") return answerScale(deps.registry, call);
  switch (call.verb) {
    case "get":
      return getObject(deps.registry, call);
    case "list":
      return call.context.request.asksProgress === true
        ? tellProgress(deps, call)
        : listCollection(deps.registry, call);
    case "watch":
      return watchCollection(deps, call);
    case "create":
      return create(deps.registry, call);
    case "update":
      return update(deps.registry, call);
    case "patch":
      return patch(deps.registry, call);
    case "delete":
      return remove(deps.registry, call);
    case "deletecollection":
      return removeCollection(deps.registry, call);
  }
}
