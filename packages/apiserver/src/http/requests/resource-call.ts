import type { ApiRequest } from "@milo-quota/kubernetes/client/transport/api-request.ts";
import { failure, resourceNotFound, StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { ServedKind, Verb } from "../../registry/kinds/served-kind.ts";
import { isNamespaceKind } from "../../registry/lifecycle/namespace-lifecycle.ts";
import { type ObjectRequest, resourceOf, type Subresource, type WriteRequest } from "../../registry/object-request.ts";
import { firstHeader } from "../access/authenticator.ts";
import { negotiate } from "../responses/accept.ts";
import { isPretty } from "../responses/pretty.ts";
import { parseIncludeObject } from "../responses/representation.ts";
import { noSuchResource } from "../responses/responses.ts";
import type { ViewOptions } from "../responses/view-options.ts";
import type { RequestContext } from "./request-context.ts";
import type { ResourcePath } from "./request-info.ts";
import type { WriteOptions } from "./write-options.ts";

/** A request about objects of a kind. */
export interface ResourceCall {
  readonly context: RequestContext;
  readonly path: ResourcePath;
  readonly kind: ServedKind;
  readonly verb: Verb;
  /** Whether the kind is still served with the same schema. */
  readonly isServed: () => boolean;
  /** The kind that another plane serves under the same path. */
  readonly kindIn: (plane: string) => ServedKind | undefined;
}

/** The verb of a method on a path; undefined when the method is not supported there. */
export function verbOf(request: ApiRequest, path: ResourcePath): Verb | undefined {
  const isCollection = path.name === "";
  switch (request.method) {
    case "GET":
      return readVerb(request, path, isCollection);
    case "POST":
      return isCollection ? "create" : undefined;
    case "PUT":
      return isCollection ? undefined : "update";
    case "PATCH":
      return isCollection ? undefined : "patch";
    case "DELETE":
      return isCollection ? "deletecollection" : "delete";
    default:
      return undefined;
  }
}

function readVerb(request: ApiRequest, path: ResourcePath, isCollection: boolean): Verb {
  const watch = request.query.get("watch");
  const isWatch = path.isWatchPath || (watch !== null && !["false", "0"].includes(watch.toLowerCase()));
  if (isWatch && path.subresource === "") return "watch";
  return isCollection ? "list" : "get";
}

/** Custom kinds map every method to a verb first, and then report errors. */
export function customVerb(
  method: string,
  { name, subresource }: ResourcePath,
  kind: ServedKind,
  verb: Verb | undefined,
): Verb {
  if (name === "" && (method === "PUT" || method === "PATCH")) {
    throw new StatusError(failure("BadRequest", "name must be provided"));
  }
  const meant = verb ?? otherVerb(method, name);
  const isServed = subresource === "" || (meant !== "create" && meant !== "delete");
  if (meant !== undefined && isServed) return meant;
  const message = `${meant ?? ""} is not supported on resources of kind "${kind.plural}.${kind.group}"`;
  throw new StatusError(failure("MethodNotAllowed", message, { group: kind.group, kind: kind.plural }));
}

function otherVerb(method: string, name: string): Verb | undefined {
  if (method === "HEAD") return name === "" ? "list" : "get";
  return method === "POST" ? "create" : undefined;
}

/** Whether only a CustomResourceDefinition could serve this path, and none does. */
export function isUnservedCustomPath(
  builtin: readonly ServedKind[],
  kind: ServedKind | undefined,
  { group, namespace }: ResourcePath,
  verb: Verb | undefined,
): boolean {
  if (kind === undefined) return !builtin.some((served) => served.group === group);
  if (!kind.isCustom) return false;
  if (kind.scope === "Cluster") return namespace !== "";
  return namespace === "" && verb !== "list" && verb !== "watch";
}

/** Rejects requests for kinds and subresources that are not served. */
export function requireServed(kind: ServedKind | undefined, path: ResourcePath): ServedKind {
  if (kind === undefined) throw noSuchResource();
  if (path.subresource !== "" && !subresourcesOf(kind).includes(path.subresource)) {
    throw kind.isCustom ? new StatusError(resourceNotFound(resourceOf({ kind }), path.name)) : noSuchResource();
  }
  if (kind.scope === "Cluster" && path.namespace !== "") throw noSuchResource();
  return kind;
}

function subresourcesOf(kind: ServedKind): readonly string[] {
  const isNamespace = isNamespaceKind(kind);
  return [
    ...(kind.hasStatus ? ["status"] : []),
    ...(kind.scale === undefined ? [] : ["scale"]),
    ...(isNamespace ? ["finalize"] : []),
  ];
}

/** Namespaced objects are created and addressed in a namespace; across namespaces they can be listed and watched. */
export function hasValidScope({ kind, path, verb }: ResourceCall): boolean {
  if (path.subresource !== "" && !["get", "update", "patch"].includes(verb)) return false;
  if (path.subresource === "finalize" && verb !== "update") return false;
  return kind.scope === "Cluster" || path.namespace !== "" || verb === "list" || verb === "watch";
}

export function readRequest({ context, kind, path, isServed }: ResourceCall): Required<ObjectRequest> {
  const { view } = context;
  return {
    plane: context.plane,
    allPlanes: context.request.allPlanes,
    kind,
    namespace: path.namespace,
    within: view?.of(kind),
    isServed: view?.isCurrent === undefined ? isServed : () => isServed() && view.isCurrent?.() !== false,
    user: context.user,
    warn: (text) => context.warnings.push(text),
    signal: context.signal,
  };
}

export function writeRequest(call: ResourceCall, options: Omit<WriteOptions, "force">): Required<WriteRequest> {
  // Field by field: spreading the request would cost more than everything else done here.
  const { plane, allPlanes, kind, namespace, within, isServed, user, warn, signal } = readRequest(call);
  return {
    plane,
    allPlanes,
    kind,
    namespace,
    within,
    isServed,
    user,
    warn,
    signal,
    subresource: call.path.subresource as Subresource,
    dryRun: options.dryRun,
    manager: options.manager,
    fieldValidation: options.fieldValidation,
    mayCreate: () => call.context.require("create"),
  };
}

/** Negotiated first: a request whose response would be unacceptable must not write anything. */
export function viewOptionsOf({ context: { request }, kind, verb, kindIn }: ResourceCall, nowMs: number): ViewOptions {
  const isList = verb === "list" || verb === "watch";
  const accepted = negotiate(firstHeader(request.headers, "accept"), isPretty(request), isList, verb === "watch");
  const includeObject = accepted.representation === "Table" ? parseIncludeObject(request.query) : "Metadata";
  return { kind, accepted, includeObject, nowMs, ...(request.allPlanes === true ? { kindIn } : {}) };
}
