import type { ApiAnswer, ApiRequest } from "@milo-quota/kubernetes/client/transport/api-request.ts";
import { untilAborted } from "@milo-quota/kubernetes/client/until-aborted.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";
import { ownedAfterUpdate } from "../registry/field-ownership.ts";
import type { ApiObject } from "../registry/kinds/api-object.ts";
import type { KindCatalog, PlaneKinds } from "../registry/kinds/kind-catalog.ts";
import type { ServedKind, Verb } from "../registry/kinds/served-kind.ts";
import { withMetadata } from "../registry/metadata/metadata.ts";
import type { WriteRequest } from "../registry/object-request.ts";
import type { Registry } from "../registry/registry.ts";
import { enter, isMasterAsItself } from "./access/access-gate.ts";
import { PlainFailure } from "./access/authentication/impersonation.ts";
import { type Authenticator, firstHeader } from "./access/authenticator.ts";
import { type Authorizer, forbiddenRequest, type RequestAttributes } from "./access/authorizer.ts";
import type { FairQueue } from "./access/fair-queue.ts";
import type { ReviewDeps } from "./access/reviews/review-context.ts";
import { type ReviewKind, reviewKinds } from "./access/reviews/review-kinds.ts";
import {
  jsonAnswer,
  methodNotAllowed,
  noSuchResource,
  pageNotFound,
  plainAnswer,
  plainJson,
  statusAnswer,
  statusOf,
} from "./answers/answers.ts";
import { isPretty } from "./answers/pretty.ts";
import type { PlaneResolver } from "./plane-path.ts";
import { objectBody } from "./requests/body.ts";
import type { RequestContext } from "./requests/request-context.ts";
import type { OtherPath, ResourcePath } from "./requests/request-info.ts";
import { type RequestTarget, targetOf } from "./requests/request-target.ts";
import {
  customVerb,
  isLeftToDefinitions,
  type ResourceCall,
  requireServed,
  writeRequest,
} from "./requests/resource-call.ts";
import { answerResource } from "./requests/resource-requests.ts";
import { parseWriteOptions } from "./requests/write-options.ts";
import type { EventLines } from "./watch/event-lines.ts";
import type { OpenWatches } from "./watch/open-watches.ts";

/** Answers paths that are about no objects, such as discovery; undefined for those it does not know. */
export type OtherPaths = (context: RequestContext) => Promise<ApiAnswer | undefined>;

export interface ApiServerDeps {
  readonly registry: Registry;
  readonly kinds: KindCatalog;
  readonly resolvePlane: PlaneResolver;
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  readonly queue: FairQueue;
  readonly reviews: ReviewDeps;
  readonly otherPaths: readonly OtherPaths[];
  readonly watches: OpenWatches;
  readonly lines: EventLines;
  readonly clock: Clock;
  readonly report: (error: unknown) => void;
}

/** An answer, or one to wait for. */
type Answered = ApiAnswer | Promise<ApiAnswer>;

/** How long a request may take that is no watch. */
const requestMsMax = 60_000;

/** The API, whichever way a request comes in. Never rejects: what goes wrong is an answer too. */
export class ApiServer {
  readonly #deps: ApiServerDeps;

  constructor(deps: ApiServerDeps) {
    this.#deps = deps;
  }

  /** `target`, if it was found already. */
  async handle(request: ApiRequest, target = targetOf(request, this.#deps.resolvePlane)): Promise<ApiAnswer> {
    const warnings: string[] = [];
    try {
      const answer = this.#answer(request, target, warnings);
      return withWarnings(answer instanceof Promise ? await this.#inTime(answer, request) : answer, warnings);
    } catch (error) {
      if (error instanceof PlainFailure) return withWarnings(plainAnswer(error.code, `${error.message}\n`), warnings);
      const form = { format: errorFormat(request), pretty: isPretty(request) };
      return withWarnings(statusAnswer(statusOf(error, request.life, this.#deps.report), form), warnings);
    }
  }

  /** An answer comes in time even if somebody on the way does not listen; whatever they do is heard of, and not waited for. */
  async #inTime(answer: Promise<ApiAnswer>, request: ApiRequest): Promise<ApiAnswer> {
    const deadline = this.#deps.clock.after(requestMsMax, () => request.life.abort(tooSlow()));
    const late = (error: unknown): unknown => statusOf(error, request.life, this.#deps.report);
    try {
      return await untilAborted(answer, request.life.signal, late);
    } finally {
      deadline.stop();
    }
  }

  /** Whatever nobody has to be waited for is answered at once. */
  #answer(request: ApiRequest, target: RequestTarget | undefined, warnings: string[]): Answered {
    if (request.path.includes("%") && /%(?![0-9a-fA-F]{2})/.test(request.path))
      return plainAnswer(400, "400 Bad Request");
    if (target === undefined || this.#deps.registry.isClosing?.(target.planePath.plane) === true) return pageNotFound;
    const { user } = request;
    if (user === undefined || !isMasterAsItself(user, request.headers)) return this.#enter(request, target, warnings);
    return this.#admitted(request, target, { user, warnings });
  }

  async #enter(request: ApiRequest, target: RequestTarget, warnings: string[]): Promise<ApiAnswer> {
    const { path: asked, verb } = target;
    const { plane, path, view } = target.planePath;
    const { headers, clientCertificate } = request;
    const { authorizer, queue } = this.#deps;
    const { user, seat, ...admitted } = await enter(
      { plane, path, uri: request.path, headers, clientCertificate },
      (asking) =>
        attributesOf(
          { user: asking, plane, path, view },
          named(asked, request, verb),
          verb ?? request.method.toLowerCase(),
        ),
      { authenticator: knownOr(request.user, this.#deps.authenticator), authorizer, queue },
      request.life.signal,
    );
    warnings.push(...admitted.warnings);
    try {
      return await this.#admitted(request, target, { user, warnings });
    } finally {
      seat.release();
    }
  }

  /** A request that may go on. */
  #admitted(
    request: ApiRequest,
    { planePath, path: asked, verb }: RequestTarget,
    { user, warnings }: Pick<RequestContext, "user" | "warnings">,
  ): Answered {
    const { plane, path, view, unavailable } = planePath;
    const { signal } = request.life;
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

  #resource(context: RequestContext, path: ResourcePath, verb: Verb | undefined): Answered {
    const found = this.#kindsFor(context).find(path.group, path.version, path.resource);
    if (isLeftToDefinitions(this.#deps.kinds.builtin, found, path, verb)) return pageNotFound;
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
    return review === undefined ? answerResource(this.#deps, call) : this.#review(call, review);
  }

  /** Whoever reads all planes at once reads kinds that any of them serves. */
  #kindsFor({ plane, request }: RequestContext): Pick<PlaneKinds, "find"> {
    return request.allPlanes === true ? this.#deps.kinds.anywhere(plane) : this.#deps.kinds.inPlane(plane);
  }

  #isServed(context: RequestContext, { group, version, resource }: ResourcePath, kind: ServedKind): boolean {
    const now = this.#deps.kinds.inPlane(context.plane).find(group, version, resource);
    // Objects of other planes are shown by the definitions that hold there then, so a change of these ends nothing.
    if (now === undefined) return this.#kindsFor(context).find(group, version, resource) !== undefined;
    return now !== undefined && now.schemaRevision === kind.schemaRevision;
  }

  async #review(call: ResourceCall, review: ReviewKind): Promise<ApiAnswer> {
    const { context, path, verb } = call;
    if (path.name !== "") throw noSuchResource();
    if (verb !== "create") throw methodNotAllowed();
    const { request, user, plane, view, signal } = context;
    const asking = { user, plane, namespace: path.namespace, ...(view === undefined ? {} : { view: view.name }) };
    const expected = { apiVersion: `${review.group}/v1`, kind: review.kind, isCustom: false };
    const options = parseWriteOptions(request, "CreateOptions");
    const { value } = await objectBody(request, expected);
    const answer = await review.answer(value, asking, this.#deps.reviews, signal);
    const write = writeRequest(call, options);
    const owned = withOwners(answer as ApiObject, value as ApiObject, write, this.#deps.clock.now());
    return jsonAnswer(201, owned, { ...plainJson, pretty: isPretty(request) });
  }

  async #other(context: RequestContext): Promise<ApiAnswer> {
    for (const answer of this.#deps.otherPaths) {
      const found = await answer(context);
      if (found !== undefined) return found;
    }
    return pageNotFound;
  }
}

/** Even those who cannot be answered are refused in the form that they asked for. */
function errorFormat({ headers }: ApiRequest): "json" | "yaml" {
  return firstHeader(headers, "accept").trimStart().startsWith("application/yaml") ? "yaml" : "json";
}

/** Reviews are stored nowhere, yet say whose their fields are. */
function withOwners(answer: ApiObject, sent: ApiObject, request: WriteRequest, nowMs: number): ApiObject {
  if (request.kind.kind === "SelfSubjectRulesReview") return answer;
  const read = request.kind.rules.read?.(sent) ?? sent;
  const { managedFields } = ownedAfterUpdate(undefined, read, request, nowMs).metadata;
  return managedFields === undefined ? answer : withMetadata(answer, { managedFields });
}

/** A caller in this process is trusted to say who it is. */
function knownOr(user: ApiRequest["user"], authenticator: Authenticator): Authenticator {
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
  // A namespace is its own namespace, so that rights in it reach it.
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

/** Who lists or watches one object by its name asks for that object: rights that name it are enough. */
function named(target: ResourcePath | OtherPath, { query }: ApiRequest, verb: Verb | undefined): typeof target {
  if (!target.isResource || target.name !== "" || (verb !== "list" && verb !== "watch")) return target;
  const [, name] = /^metadata\.name==?([^,\\=]+)$/.exec(query.get("fieldSelector") ?? "") ?? [];
  return name === undefined ? target : { ...target, name };
}

function tooSlow(): DOMException {
  return new DOMException("the request took too long", "TimeoutError");
}

/** Each warning once, as the header that clients print. */
function withWarnings(answer: ApiAnswer, warnings: readonly string[]): ApiAnswer {
  if (warnings.length === 0) return answer;
  const texts = fitting([...new Set(warnings)].map((text) => `299 - ${quoted(text)}`));
  return { ...answer, headers: { ...answer.headers, warning: texts } };
}

/** How much is said in headers: clients refuse answers that say more. */
const warningLengthMax = 256;
const warningsLengthMax = 4_096;

function fitting(texts: readonly string[]): readonly string[] {
  let length = 0;
  return texts.filter((text) => {
    length += text.length;
    return length <= warningsLengthMax;
  });
}

/** Headers carry bytes, one for each character: what is beyond ASCII goes as UTF-8. */
function quoted(text: string): string {
  const short = text.length > warningLengthMax ? `${text.slice(0, warningLengthMax)}...` : text;
  const printable = short.replace(/\p{Cc}/gu, " ").replace(/[\\"]/g, "\\$&");
  return `"${Buffer.from(printable).toString("latin1")}"`;
}
