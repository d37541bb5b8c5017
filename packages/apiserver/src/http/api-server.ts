import { abortable } from "@milo-quota/kubernetes/client/abortable.ts";
import type { ApiRequest, ApiResponse } from "@milo-quota/kubernetes/client/transport/api-request.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";
import { withManagedFields } from "../registry/field-ownership.ts";
import type { ApiObject } from "../registry/kinds/api-object.ts";
import type { KindCatalog, PlaneKinds } from "../registry/kinds/kind-catalog.ts";
import type { ServedKind, Verb } from "../registry/kinds/served-kind.ts";
import { withMetadata } from "../registry/metadata/metadata.ts";
import type { WriteRequest } from "../registry/object-request.ts";
import type { Registry } from "../registry/registry.ts";
import { authorizeRequest, isUnimpersonatedMaster } from "./access/access-gate.ts";
import { PlainFailure } from "./access/authentication/impersonation.ts";
import { type Authenticator, firstHeader } from "./access/authenticator.ts";
import { type Authorizer, forbiddenRequest, type RequestAttributes } from "./access/authorizer.ts";
import type { FairQueue } from "./access/fair-queue.ts";
import type { ReviewDeps } from "./access/reviews/review-context.ts";
import { type ReviewKind, reviewKinds } from "./access/reviews/review-kinds.ts";
import type { PlaneResolver } from "./plane-path.ts";
import { objectBody } from "./requests/body.ts";
import type { RequestContext } from "./requests/request-context.ts";
import type { OtherPath, ResourcePath } from "./requests/request-info.ts";
import { type RequestTarget, targetOf } from "./requests/request-target.ts";
import {
  customVerb,
  isUnservedCustomPath,
  type ResourceCall,
  requireServed,
  writeRequest,
} from "./requests/resource-call.ts";
import { handleResource } from "./requests/resource-requests.ts";
import { parseWriteOptions } from "./requests/write-options.ts";
import { isPretty } from "./responses/pretty.ts";
import {
  jsonResponse,
  methodNotAllowed,
  noSuchResource,
  pageNotFound,
  plainJson,
  plainTextResponse,
  statusOf,
  statusResponse,
} from "./responses/responses.ts";
import type { EventLines } from "./watch/event-lines.ts";
import type { OpenWatches } from "./watch/open-watches.ts";

/** Handles paths that are not resources, such as discovery; undefined for unknown paths. */
export type PathHandler = (context: RequestContext) => Promise<ApiResponse | undefined>;

export interface ApiServerDeps {
  readonly registry: Registry;
  readonly kinds: KindCatalog;
  readonly resolvePlane: PlaneResolver;
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  readonly queue: FairQueue;
  readonly reviews: ReviewDeps;
  readonly otherPaths: readonly PathHandler[];
  readonly watches: OpenWatches;
  readonly lines: EventLines;
  readonly clock: Clock;
  readonly report: (error: unknown) => void;
}

type MaybePromise = ApiResponse | Promise<ApiResponse>;

/** Timeout of requests other than watches. */
const requestMsMax = 60_000;

/** The API for requests from sockets and from inside the process. Never rejects: errors become responses. */
export class ApiServer {
  readonly #deps: ApiServerDeps;

  constructor(deps: ApiServerDeps) {
    this.#deps = deps;
  }

  /** `target`: the parsed path, if the caller has it already. */
  async handle(request: ApiRequest, target = targetOf(request, this.#deps.resolvePlane)): Promise<ApiResponse> {
    const warnings: string[] = [];
    try {
      const response = this.#respond(request, target, warnings);
      return withWarnings(
        response instanceof Promise ? await this.#withTimeout(response, request) : response,
        warnings,
      );
    } catch (error) {
      if (error instanceof PlainFailure)
        return withWarnings(plainTextResponse(error.code, `${error.message}\n`), warnings);
      const form = { format: errorFormat(request), pretty: isPretty(request) };
      return withWarnings(statusResponse(statusOf(error, request.abortController, this.#deps.report), form), warnings);
    }
  }

  /** Responds in time even if a handler ignores its signal; a late error is reported and not waited for. */
  async #withTimeout(response: Promise<ApiResponse>, request: ApiRequest): Promise<ApiResponse> {
    const deadline = this.#deps.clock.after(requestMsMax, () => request.abortController.abort(timeoutError()));
    const late = (error: unknown): unknown => statusOf(error, request.abortController, this.#deps.report);
    try {
      return await abortable(response, request.abortController.signal, late);
    } finally {
      deadline.stop();
    }
  }

  /** Hot: requests that need not wait are answered in the same turn of the event loop. */
  #respond(request: ApiRequest, target: RequestTarget | undefined, warnings: string[]): MaybePromise {
    if (request.path.includes("%") && /%(?![0-9a-fA-F]{2})/.test(request.path))
      return plainTextResponse(400, "400 Bad Request");
    if (target === undefined || this.#deps.registry.isClosing?.(target.planePath.plane) === true) return pageNotFound;
    const { user } = request;
    if (user === undefined || !isUnimpersonatedMaster(user, request.headers))
      return this.#authorize(request, target, warnings);
    return this.#handleAuthorized(request, target, { user, warnings });
  }

  async #authorize(request: ApiRequest, target: RequestTarget, warnings: string[]): Promise<ApiResponse> {
    const { path: asked, verb } = target;
    const { plane, path, view } = target.planePath;
    const { headers, clientCertificate } = request;
    const { authorizer, queue } = this.#deps;
    const { user, seat, ...admitted } = await authorizeRequest(
      { plane, path, uri: request.path, headers, clientCertificate },
      (asking) =>
        attributesOf(
          { user: asking, plane, path, view },
          fieldSelectedName(asked, request, verb),
          verb ?? request.method.toLowerCase(),
        ),
      { authenticator: authenticatorFor(request.user, this.#deps.authenticator), authorizer, queue },
      request.abortController.signal,
    );
    warnings.push(...admitted.warnings);
    try {
      return await this.#handleAuthorized(request, target, { user, warnings });
    } finally {
      seat.release();
    }
  }

  /** A request that passed the access gate. */
  #handleAuthorized(
    request: ApiRequest,
    { planePath, path: asked, verb }: RequestTarget,
    { user, warnings }: Pick<RequestContext, "user" | "warnings">,
  ): MaybePromise {
    const { plane, path, view, unavailable } = planePath;
    const { signal } = request.abortController;
    if (unavailable !== undefined) throw new StatusError(unavailable);
    const require = (other: string): Promise<void> =>
      this.#require(attributesOf({ user, plane, path, view }, asked, other), signal);
    const context: RequestContext = { request, plane, path, view, user, warnings, signal, require };
    return asked.isResource ? this.#resource(context, asked, verb) : this.#other(context);
  }

  async #require(attributes: RequestAttributes, signal: AbortSignal): Promise<void> {
    const { outcome, reason } = await this.#deps.authorizer.authorize(attributes, signal);
    if (outcome !== "allow") throw new StatusError(forbiddenRequest(attributes, reason));
  }

  #resource(context: RequestContext, path: ResourcePath, verb: Verb | undefined): MaybePromise {
    const found = this.#kindsFor(context).find(path.group, path.version, path.resource);
    if (isUnservedCustomPath(this.#deps.kinds.builtin, found, path, verb)) return pageNotFound;
    const kind = requireServed(found, path);
    const meant = kind.isCustom ? customVerb(context.request.method, path, kind, verb) : verb;
    if (meant === undefined) throw methodNotAllowed();
    const review = reviewKinds.find(({ group, resource }) => group === path.group && resource === path.resource);
    const call: ResourceCall = {
      context,
      path,
      kind,
      verb: meant,
      isServed: () => this.#isServed(context, path, kind),
      kindIn: (plane) => this.#deps.kinds.inPlane(plane).find(path.group, path.version, path.resource),
    };
    return review === undefined ? handleResource(this.#deps, call) : this.#review(call, review);
  }

  /** All-planes requests find the kinds of every plane. */
  #kindsFor({ plane, request }: RequestContext): Pick<PlaneKinds, "find"> {
    return request.allPlanes === true ? this.#deps.kinds.inAnyPlane(plane) : this.#deps.kinds.inPlane(plane);
  }

  #isServed(context: RequestContext, { group, version, resource }: ResourcePath, kind: ServedKind): boolean {
    const now = this.#deps.kinds.inPlane(context.plane).find(group, version, resource);
    // All-planes watches render objects by the definitions of their planes at that time, so a changed definition does
    // not end them.
    if (now === undefined) return this.#kindsFor(context).find(group, version, resource) !== undefined;
    return now !== undefined && now.schemaRevision === kind.schemaRevision;
  }

  async #review(call: ResourceCall, review: ReviewKind): Promise<ApiResponse> {
    const { context, path, verb } = call;
    if (path.name !== "") throw noSuchResource();
    if (verb !== "create") throw methodNotAllowed();
    const { request, user, plane, view, signal } = context;
    const asking = { user, plane, namespace: path.namespace, ...(view === undefined ? {} : { view: view.name }) };
    const expected = { apiVersion: `${review.group}/v1`, kind: review.kind, isCustom: false };
    const options = parseWriteOptions(request, "CreateOptions");
    const { value } = await objectBody(request, expected);
    const response = await review.review(value, asking, this.#deps.reviews, signal);
    const write = writeRequest(call, options);
    const owned = withReviewManagedFields(response as ApiObject, value as ApiObject, write, this.#deps.clock.now());
    return jsonResponse(201, owned, { ...plainJson, pretty: isPretty(request) });
  }

  async #other(context: RequestContext): Promise<ApiResponse> {
    for (const handlePath of this.#deps.otherPaths) {
      const found = await handlePath(context);
      if (found !== undefined) return found;
    }
    return pageNotFound;
  }
}

/** Errors use the format that the client accepts. */
function errorFormat({ headers }: ApiRequest): "json" | "yaml" {
  return firstHeader(headers, "accept").trimStart().startsWith("application/yaml") ? "yaml" : "json";
}

/** Reviews are not stored, but their responses have managed fields. */
function withReviewManagedFields(
  response: ApiObject,
  sent: ApiObject,
  request: WriteRequest,
  nowMs: number,
): ApiObject {
  if (request.kind.kind === "SelfSubjectRulesReview") return response;
  const read = request.kind.rules.read?.(sent) ?? sent;
  const { managedFields } = withManagedFields(undefined, read, request, nowMs).metadata;
  return managedFields === undefined ? response : withMetadata(response, { managedFields });
}

/** A caller in this process is trusted to name its user. */
function authenticatorFor(user: ApiRequest["user"], authenticator: Authenticator): Authenticator {
  return user === undefined ? authenticator : { authenticate: async () => ({ user, warnings: [] }) };
}

const nothing = { group: "", version: "", resource: "", subresource: "", namespace: "", name: "" };

function attributesOf(
  { user, plane, path, view }: Pick<RequestContext, "user" | "plane" | "path" | "view">,
  target: ResourcePath | OtherPath,
  verb: string,
): RequestAttributes {
  const { isResource } = target;
  const { group, version, resource, subresource, namespace, name } = isResource ? target : nothing;
  // A Namespace object counts as in its own namespace, so that permissions in the namespace cover it.
  const within = group === "" && resource === "namespaces" ? name : namespace;
  const seen = view?.name;
  return {
    user,
    verb,
    plane,
    view: seen,
    group,
    version,
    resource,
    subresource,
    namespace: within,
    name,
    path,
    isResource,
  };
}

/** A list or watch with a field selector on metadata.name is authorized like a request for that object. */
function fieldSelectedName(
  target: ResourcePath | OtherPath,
  { query }: ApiRequest,
  verb: Verb | undefined,
): typeof target {
  if (!target.isResource || target.name !== "" || (verb !== "list" && verb !== "watch")) return target;
  const [, name] = /^metadata\.name==?([^,\\=]+)$/.exec(query.get("fieldSelector") ?? "") ?? [];
  return name === undefined ? target : { ...target, name };
}

function timeoutError(): DOMException {
  return new DOMException("the request took too long", "TimeoutError");
}

/** Deduplicates warnings and adds them as Warning headers. */
function withWarnings(response: ApiResponse, warnings: readonly string[]): ApiResponse {
  if (warnings.length === 0) return response;
  const texts = withinLength([...new Set(warnings)].map((text) => `299 - ${quoted(text)}`));
  return { ...response, headers: { ...response.headers, warning: texts } };
}

/** Clients reject responses with larger headers. */
const warningLengthMax = 256;
const warningsLengthMax = 4_096;

function withinLength(texts: readonly string[]): readonly string[] {
  let length = 0;
  return texts.filter((text) => {
    length += text.length;
    return length <= warningsLengthMax;
  });
}

/** Headers carry one byte per character: other characters are sent as UTF-8. */
function quoted(text: string): string {
  const short = text.length > warningLengthMax ? `${text.slice(0, warningLengthMax)}...` : text;
  const printable = short.replace(/\p{Cc}/gu, " ").replace(/[\\"]/g, "\\$&");
  return `"${Buffer.from(printable).toString("latin1")}"`;
}
