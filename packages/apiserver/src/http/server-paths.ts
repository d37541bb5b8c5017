import type { ApiRequest, ApiResponse } from "@milo-quota/kubernetes/client/transport/api-request.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { KindCatalog, PlaneKinds } from "../registry/kinds/kind-catalog.ts";
import type { ServedKind } from "../registry/kinds/served-kind.ts";
import { firstHeader } from "./access/authenticator.ts";
import { aggregatedDiscovery, coreVersions, groupDocument, groupList, resourceList } from "./discovery.ts";
import type { RequestContext } from "./requests/request-context.ts";
import { isPretty } from "./responses/pretty.ts";
import { jsonResponse, methodNotAllowed, noSuchResource, plainJson, plainTextResponse } from "./responses/responses.ts";

export interface VersionInfo {
  readonly major: string;
  readonly minor: string;
  readonly gitVersion: string;
}

/** Why a check fails; undefined when it does not. */
type Check = () => string | undefined;

export interface HealthChecks {
  /** Fails when only a restart can help, so that a failing liveness probe gets the server restarted. */
  readonly ping: Check;
  /** Fails while not all writes can be stored. */
  readonly storage: Check;
}

const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/** Health, version and discovery. */
export function serverPaths(kinds: KindCatalog, version: VersionInfo, checks: HealthChecks) {
  return async ({ request, plane, path }: RequestContext): Promise<ApiResponse | undefined> => {
    const health = healthResponse(path, request, checks);
    if (health !== undefined) return health;
    const form = { ...plainJson, pretty: isPretty(request) };
    const isVersion = path === "/version" || path === "/version/";
    const response = isVersion
      ? jsonResponse(200, version, form)
      : discoveryResponse(path, request, kinds.inPlane(plane));
    if (response === undefined && isBuiltin(path, kinds.builtin)) throw noSuchResource();
    // Group documents are served for any method.
    const isRead = request.method === "GET" || request.method === "HEAD" || /^\/apis(?:\/[^/]+)?\/?$/.test(path);
    if (response !== undefined && !isRead) throw methodNotAllowed();
    return response;
  };
}

/** Whether a path belongs to a built-in group, which no other handler serves. */
function isBuiltin(path: string, builtin: readonly ServedKind[]): boolean {
  const [, root, group = ""] = path.split("/");
  return root === "api" || (root === "apis" && builtin.some((kind) => kind.group === group && group !== ""));
}

function healthResponse(path: string, { query }: ApiRequest, checks: HealthChecks): ApiResponse | undefined {
  const [, name, check = ""] = /^\/(healthz|livez|readyz)(?:\/(.*))?$/.exec(path) ?? [];
  if (name === undefined) return undefined;
  const { ping } = checks;
  const all = Object.entries(name === "readyz" ? checks : { ping });
  const wanted = all.filter(([each]) => check === "" || check === each);
  if (wanted.length === 0) return undefined;
  const results = wanted.map(([each, faultOf]) => ({ each, fault: faultOf() }));
  const lines = results.map(({ each, fault }) =>
    fault === undefined ? `[+]${each} ok\n` : `[-]${each} failed: ${fault}\n`,
  );
  if (results.some(({ fault }) => fault !== undefined)) {
    return plainTextResponse(500, `${lines.join("")}${name} check failed\n`);
  }
  return plainTextResponse(200, query.has("verbose") ? `${lines.join("")}${name} check passed\n` : "ok");
}

function discoveryResponse(path: string, request: ApiRequest, kinds: PlaneKinds): ApiResponse | undefined {
  const parts = path.split("/").filter((part) => part !== "");
  const form = { ...plainJson, pretty: isPretty(request) };
  const found = (document: JsonObject | undefined): ApiResponse | undefined =>
    document === undefined ? undefined : jsonResponse(200, document, form);
  const [root, group = "", version = ""] = parts;
  if (root !== "api" && root !== "apis") return undefined;
  if (parts.length === 1) return rootDiscovery(root, request, kinds);
  if (root === "api") return parts.length === 2 ? found(resourceList(kinds.all, "", group)) : undefined;
  if (parts.length === 2) return found(groupDocument(kinds.all, group));
  return parts.length === 3 ? found(resourceList(kinds.all, group, version)) : undefined;
}

/** kubectl requests aggregated discovery, older clients one document after the other. */
function rootDiscovery(root: "api" | "apis", request: ApiRequest, kinds: PlaneKinds): ApiResponse {
  const form = { ...plainJson, pretty: isPretty(request) };
  const accept = firstHeader(request.headers, "accept").replaceAll(" ", "");
  if (accept.split(",").some((clause) => isAggregated(clause))) {
    const document = aggregatedDiscovery(kinds.all, root === "api" ? "core" : "groups");
    const response = jsonResponse(200, document, form);
    return { ...response, headers: { ...response.headers, "content-type": aggregated, vary: "Accept" } };
  }
  if (root === "apis") return jsonResponse(200, groupList(kinds.all), form);
  return jsonResponse(
    200,
    coreVersions(firstHeader(request.headers, ":authority") || firstHeader(request.headers, "host")),
    form,
  );
}

function isAggregated(clause: string): boolean {
  const parts = clause.split(";");
  return (
    parts.includes("as=APIGroupDiscoveryList") && parts.includes("g=apidiscovery.k8s.io") && parts.includes("v=v2")
  );
}
