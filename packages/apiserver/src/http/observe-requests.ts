import type { ApiRequest, ApiResponse } from "@milo-quota/kubernetes/client/transport/api-request.ts";
import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";
import type { KindCatalog } from "../registry/kinds/kind-catalog.ts";
import type { ServedKind, Verb } from "../registry/kinds/served-kind.ts";
import { firstHeader } from "./access/authenticator.ts";
import type { PlaneResolver } from "./plane-path.ts";
import type { ResourcePath } from "./requests/request-info.ts";
import { type RequestTarget, targetOf } from "./requests/request-target.ts";

/** A finished request, in the terms of Kubernetes' own metrics. */
export interface CompletedRequest {
  /** The same object for all requests of one kind and verb, so that observers can cache by identity. */
  readonly subject: RequestSubject;
  readonly method: string;
  readonly path: string;
  readonly code: number;
  readonly ms: number;
}

/** The resource of a request. All but the verb is empty for anything that is not a served resource. */
export interface RequestSubject {
  /** The method, or LIST, WATCH, DELETECOLLECTION, APPLY. */
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly scope: "" | "resource" | "namespace" | "cluster";
}

export interface RequestObserver {
  onStarted?(): void;
  /** The response was sent; for a watch, it started. */
  onResponse?(request: CompletedRequest): void;
}

/** Handles requests. Never rejects. */
export interface RequestHandler {
  /** `target`: the parsed path, if the caller has it already. */
  handle(request: ApiRequest, target?: RequestTarget | undefined): Promise<ApiResponse>;
}

export interface ObservationDeps {
  readonly kinds: Pick<KindCatalog, "inAnyPlane">;
  readonly resolvePlane: PlaneResolver;
  readonly clock: Clock;
  readonly observer: RequestObserver;
}

/** Wraps a handler and notifies the observer of each response. */
export function observeRequests(api: RequestHandler, deps: ObservationDeps): RequestHandler {
  const { clock, observer, kinds, resolvePlane } = deps;
  return {
    handle: async (request) => {
      const begunMs = clock.now();
      observer.onStarted?.();
      const target = targetOf(request, resolvePlane);
      const response = await api.handle(request, target);
      const { method, path } = request;
      const subject = subjectOf(request, target, kinds);
      observer.onResponse?.({ subject, method, path, code: response.code, ms: clock.now() - begunMs });
      return response;
    },
  };
}

const knownMethods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** Bounded per kind: by verb, subresource and scope. */
const subjects = new WeakMap<ServedKind, Map<string, RequestSubject>>();

function subjectOf(
  request: ApiRequest,
  target: RequestTarget | undefined,
  kinds: ObservationDeps["kinds"],
): RequestSubject {
  if (target === undefined || !target.path.isResource) return subjectWithoutResource(request);
  const { planePath, path, verb: asked } = target;
  const { group, version, resource } = path;
  const kind = kinds.inAnyPlane(planePath.plane).find(group, version, resource);
  if (kind === undefined) return subjectWithoutResource(request); // not cached: clients can make up any number of names
  const existing = subjects.get(kind) ?? new Map<string, RequestSubject>();
  if (existing.size === 0) subjects.set(kind, existing);
  const subresource = knownSubresources.has(path.subresource) ? path.subresource : "";
  const [verb, scope] = [verbText(request, asked), scopeOf(path)];
  const id = `${verb} ${subresource} ${scope}`;
  const found = existing.get(id);
  if (found !== undefined) return found;
  const subject = { verb, group, version, resource, subresource, scope };
  existing.set(id, subject);
  return subject;
}

function subjectWithoutResource(request: ApiRequest): RequestSubject {
  return { verb: methodText(request), group: "", version: "", resource: "", subresource: "", scope: "" };
}

function methodText({ method }: ApiRequest): string {
  return knownMethods.has(method) ? method : "other";
}

const knownSubresources = new Set(["status", "scale", "finalize", "token"]);

function verbText(request: ApiRequest, verb: Verb | undefined): string {
  if (verb === "list" || verb === "watch" || verb === "deletecollection") return verb.toUpperCase();
  const isApply = verb === "patch" && firstHeader(request.headers, "content-type").includes("apply-patch");
  return isApply ? "APPLY" : methodText(request);
}

function scopeOf({ name, namespace }: ResourcePath): RequestSubject["scope"] {
  if (name !== "") return "resource";
  return namespace === "" ? "cluster" : "namespace";
}
