import type { Clock } from "../../protocol/clock.ts";
import type { KindCatalog } from "../registry/kind-catalog.ts";
import { firstHeader } from "./access/authenticator.ts";
import type { ApiAnswer, ApiRequest } from "./api-request.ts";
import type { PlaneResolver } from "./api-server.ts";
import { parsePath, type ResourcePath } from "./request-info.ts";
import { verbOf } from "./resource-call.ts";

/** A request that was answered, in the words of Kubernetes' own metrics. */
export interface AnsweredRequest extends RequestSubject {
  readonly method: string;
  readonly path: string;
  readonly code: number;
  readonly ms: number;
}

/** What a request is about. All but the verb is empty when it is about nothing that is served. */
export interface RequestSubject {
  /** The method; or LIST, WATCH, DELETECOLLECTION, APPLY. */
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly scope: "" | "resource" | "namespace" | "cluster";
}

/** Hears of requests. */
export interface RequestListener {
  begun?(): void;
  /** Answered; of a watch, that it began. */
  answered?(request: AnsweredRequest): void;
}

/** Whatever answers requests. Never rejects. */
export interface Answering {
  handle(request: ApiRequest): Promise<ApiAnswer>;
}

export interface ObservationPorts {
  readonly kinds: Pick<KindCatalog, "anywhere">;
  readonly resolvePlane: PlaneResolver;
  readonly clock: Clock;
  readonly told: RequestListener;
}

/** Answers as the other does, and tells of it. */
export function observed(api: Answering, ports: ObservationPorts): Answering {
  const { clock, told } = ports;
  return {
    handle: async (request) => {
      const begunMs = clock.now();
      told.begun?.();
      const answer = await api.handle(request);
      const { method, path } = request;
      const subject = subjectOf(request, ports);
      told.answered?.({ ...subject, method, path, code: answer.code, ms: clock.now() - begunMs });
      return answer;
    },
  };
}

const knownMethods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

function subjectOf(request: ApiRequest, { kinds, resolvePlane }: ObservationPorts): RequestSubject {
  const method = knownMethods.has(request.method) ? request.method : "other";
  const nothing = { verb: method, group: "", version: "", resource: "", subresource: "", scope: "" } as const;
  const resolved = resolvePlane(request.path);
  const path = resolved === undefined ? undefined : parsePath(resolved.path);
  if (resolved === undefined || path === undefined || !path.isResource) return nothing;
  const { group, version, resource } = path;
  const kind = kinds.anywhere(resolved.plane).find(group, version, resource);
  if (kind === undefined) return nothing; // anybody can make names up; nobody has to remember them
  const subresource = knownSubresources.has(path.subresource) ? path.subresource : "";
  return { verb: verbText(request, path), group, version, resource, subresource, scope: scopeOf(path) };
}

const knownSubresources = new Set(["status", "scale", "finalize", "token"]);

function verbText(request: ApiRequest, path: ResourcePath): string {
  const verb = verbOf(request, path);
  if (verb === "list" || verb === "watch" || verb === "deletecollection") return verb.toUpperCase();
  const isApply = verb === "patch" && firstHeader(request.headers, "content-type").includes("apply-patch");
  return isApply ? "APPLY" : knownMethods.has(request.method) ? request.method : "other";
}

function scopeOf({ name, namespace }: ResourcePath): RequestSubject["scope"] {
  if (name !== "") return "resource";
  return namespace === "" ? "cluster" : "namespace";
}
