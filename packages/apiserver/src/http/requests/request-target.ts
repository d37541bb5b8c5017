import type { ApiRequest } from "@milo-quota/kubernetes/client/transport/api-request.ts";
import type { Verb } from "../../registry/kinds/served-kind.ts";
import type { PlanePath, PlaneResolver } from "../plane-path.ts";
import { type OtherPath, parsePath, type ResourcePath } from "./request-info.ts";
import { verbOf } from "./resource-call.ts";

/** Where a request goes. Found once, for whoever answers it and for whoever counts it. */
export type RequestTarget =
  | { readonly place: PlanePath; readonly path: ResourcePath; readonly verb: Verb | undefined }
  | { readonly place: PlanePath; readonly path: OtherPath; readonly verb: undefined };

/** Undefined for paths that lead nowhere. */
export function targetOf(request: ApiRequest, resolvePlane: PlaneResolver): RequestTarget | undefined {
  const place = resolvePlane(request.path);
  if (place === undefined) return undefined;
  const path = parsePath(place.path);
  return path.isResource ? { place, path, verb: verbOf(request, path) } : { place, path, verb: undefined };
}
