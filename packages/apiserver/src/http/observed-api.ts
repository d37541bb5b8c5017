import type { ApiAnswer, ApiRequest } from "@milo-quota/kubernetes/client/transport/api-request.ts";
import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";
import type { KindCatalog } from "../registry/kinds/kind-catalog.ts";
import type { ServedKind, Verb } from "../registry/kinds/served-kind.ts";
import { firstHeader } from "./access/authenticator.ts";
import type { PlaneResolver } from "./plane-path.ts";
import type { ResourcePath } from "./requests/request-info.ts";
import { type RequestTarget, targetOf } from "./requests/request-target.ts";

/** A request that was answered, in the words of Kubernetes' own metrics. */
export interface AnsweredRequest {
  /** The same one for all requests of a sort, as long as what they are about is defined the same. */
  readonly subject: RequestSubject;
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
export interface RequestObserver {
  begun?(): void;
  /** Answered; of a watch, that it began. */
  answered?(request: AnsweredRequest): void;
}

/** Whatever answers requests. Never rejects. */
export interface RequestHandler {
  /** `target`, if it was found already. */
  handle(request: ApiRequest, target?: RequestTarget | undefined): Promise<ApiAnswer>;
}

export interface ObservationDeps {
  readonly kinds: Pick<KindCatalog, "anywhere">;
  readonly resolvePlane: PlaneResolver;
  readonly clock: Clock;
  readonly told: RequestObserver;
}

/** Answers as the other does, and tells of it. */
export function observed(api: RequestHandler, deps: ObservationDeps): RequestHandler {
  const { clock, told, kinds, resolvePlane } = deps;
  return {
    handle: async (request) => {
      const begunMs = clock.now();
      told.begun?.();
      const target = targetOf(request, resolvePlane);
      const answer = await api.handle(request, target);
      const { method, path } = request;
      const subject = subjectOf(request, target, kinds);
      told.answered?.({ subject, method, path, code: answer.code, ms: clock.now() - begunMs });
      return answer;
    },
  };
}

const knownMethods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** Of each kind there are only so many: by verb, subresource and scope. */
const subjects = new WeakMap<ServedKind, Map<string, RequestSubject>>();

function subjectOf(
  request: ApiRequest,
  target: RequestTarget | undefined,
  kinds: ObservationDeps["kinds"],
): RequestSubject {
  if (target === undefined || !target.path.isResource) return aboutNothing(request);
  const { planePath, path, verb: asked } = target;
  const { group, version, resource } = path;
  const kind = kinds.anywhere(planePath.plane).find(group, version, resource);
  if (kind === undefined) return aboutNothing(request); // anybody can make names up; nobody has to remember them
  const known = subjects.get(kind) ?? new Map<string, RequestSubject>();
  if (known.size === 0) subjects.set(kind, known);
  const subresource = knownSubresources.has(path.subresource) ? path.subresource : "";
  const [verb, scope] = [verbText(request, asked), scopeOf(path)];
  const id = `${verb} ${subresource} ${scope}`;
  const found = known.get(id);
  if (found !== undefined) return found;
  const subject = { verb, group, version, resource, subresource, scope };
  known.set(id, subject);
  return subject;
}

function aboutNothing(request: ApiRequest): RequestSubject {
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
