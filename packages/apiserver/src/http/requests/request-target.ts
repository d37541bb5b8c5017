import type { ApiRequest } from "@milo-quota/kubernetes/client/transport/api-request.ts";
import type { Verb } from "../../registry/kinds/served-kind.ts";
import type { PlanePath, PlaneResolver } from "../plane-path.ts";
import { type OtherPath, parsePath, type ResourcePath } from "./request-info.ts";
import { verbOf } from "./resource-call.ts";

/** Plane and resource of a request. Resolved once, for the handler and for the observer. */
export type RequestTarget =
  | { readonly planePath: PlanePath; readonly path: ResourcePath; readonly verb: Verb | undefined }
  | { readonly planePath: PlanePath; readonly path: OtherPath; readonly verb: undefined };

/** Undefined for malformed paths. */
export function targetOf(request: ApiRequest, resolvePlane: PlaneResolver): RequestTarget | undefined {
  const planePath = resolvePlane(request.path);
  if (planePath === undefined) return undefined;
  const path = parsePath(planePath.path);
  return path.isResource ? { planePath, path, verb: verbOf(request, path) } : { planePath, path, verb: undefined };
}
