import { failure, StatusError } from "../../protocol/api-status.ts";
import type { Clock } from "../../protocol/clock.ts";
import type { KindCatalog } from "../registry/kind-catalog.ts";
import type { Registry } from "../registry/registry.ts";
import type { Authentication, Authenticator } from "./access/authenticator.ts";
import { type Authorizer, forbiddenRequest, type RequestAttributes } from "./access/authorizer.ts";
import { pageNotFound, plainJson, statusAnswer, statusOf } from "./answers.ts";
import type { ApiAnswer, ApiRequest } from "./api-request.ts";
import { isPretty } from "./pretty.ts";
import type { RequestContext } from "./request-context.ts";
import { type OtherPath, parsePath, type ResourcePath } from "./request-info.ts";
import { answerResource, kindAt, verbOf } from "./resource-requests.ts";
import type { WatchLimits } from "./watch-stream.ts";

/** Which plane a path belongs to, and what is left of the path inside it. */
export type PlaneResolver = (path: string) => { readonly plane: string; readonly path: string } | undefined;

/** Answers paths that are about no objects, such as discovery; undefined for those it does not know. */
export type OtherPaths = (context: RequestContext) => Promise<ApiAnswer | undefined>;

/** Holds a request until it is its turn; returns what to call when it is done. */
export type Turns = (context: RequestContext, isLong: boolean) => Promise<() => void>;

export interface ApiServerPorts {
  readonly registry: Registry;
  readonly kinds: KindCatalog;
  readonly resolvePlane: PlaneResolver;
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  readonly turns: Turns;
  readonly otherPaths: OtherPaths;
  readonly watchLimits: WatchLimits;
  readonly clock: Clock;
  readonly report: (error: unknown) => void;
}

/** How long a request may take that is no watch. */
const requestMsMax = 60_000;

/** The API, whichever way a request comes in. Never rejects: what goes wrong is an answer too. */
export class ApiServer {
  readonly #ports: ApiServerPorts;

  constructor(ports: ApiServerPorts) {
    this.#ports = ports;
  }

  async handle(request: ApiRequest): Promise<ApiAnswer> {
    const warnings: string[] = [];
    try {
      return withWarnings(await this.#answer(request, warnings), warnings);
    } catch (error) {
      const form = { ...plainJson, pretty: isPretty(request) };
      return withWarnings(statusAnswer(statusOf(error, this.#ports.report), form), warnings);
    }
  }

  async #answer(request: ApiRequest, warnings: string[]): Promise<ApiAnswer> {
    const resolved = this.#ports.resolvePlane(request.path);
    if (resolved === undefined) return pageNotFound;
    const { user, warnings: about } = await this.#whoAsks(request, resolved.path);
    warnings.push(...about);
    const deadline = new Deadline(this.#ports.clock, request.signal);
    const context: RequestContext = { ...resolved, request, user, warnings, signal: deadline.signal };
    try {
      const target = parsePath(resolved.path);
      return await (target.isResource ? this.#resource(context, target) : this.#other(context, target));
    } finally {
      deadline.stop();
    }
  }

  async #whoAsks(request: ApiRequest, path: string): Promise<Authentication> {
    if (request.user !== undefined) return { user: request.user, warnings: [] };
    const { headers, clientCertificate, signal } = request;
    return this.#ports.authenticator.authenticate({ path, headers, clientCertificate }, signal);
  }

  async #resource(context: RequestContext, path: ResourcePath): Promise<ApiAnswer> {
    const verb = verbOf(context.request, path);
    await this.#authorize(context, attributesOf(context, path, verb ?? context.request.method.toLowerCase()));
    const kinds = this.#ports.kinds.inPlane(context.plane);
    const done = await this.#ports.turns(context, verb === "watch");
    try {
      const special = await this.#ports.otherPaths(context);
      if (special !== undefined) return special;
      if (!kinds.all.some(({ group, version }) => group === path.group && version === path.version))
        return pageNotFound;
      const kind = kindAt(kinds, path);
      if (verb === undefined) {
        throw new StatusError(
          failure("MethodNotAllowed", "the server does not allow this method on the requested resource", {}),
        );
      }
      return await answerResource(this.#ports, { context, path, kind, verb });
    } finally {
      done();
    }
  }

  async #other(context: RequestContext, path: OtherPath): Promise<ApiAnswer> {
    const verb = context.request.method.toLowerCase();
    await this.#authorize(context, attributesOf(context, path, verb));
    const done = await this.#ports.turns(context, false);
    try {
      return (await this.#ports.otherPaths(context)) ?? pageNotFound;
    } finally {
      done();
    }
  }

  async #authorize(context: RequestContext, attributes: RequestAttributes): Promise<void> {
    const { outcome, reason } = await this.#ports.authorizer.authorize(attributes, context.signal);
    if (outcome !== "allow") throw new StatusError(forbiddenRequest(attributes, reason));
  }
}

function attributesOf(
  { user, plane, path }: RequestContext,
  target: ResourcePath | OtherPath,
  verb: string,
): RequestAttributes {
  const none = { group: "", version: "", resource: "", subresource: "", namespace: "", name: "" };
  if (!target.isResource) return { ...none, user, plane, path, verb, isResource: false };
  const { group, version, resource, subresource, namespace, name } = target;
  // A namespace is its own namespace, so that rights in it reach it.
  const within = group === "" && resource === "namespaces" ? name : namespace;
  return { user, plane, path, verb, isResource: true, group, version, resource, subresource, namespace: within, name };
}

/** Each warning once, as the header that clients print. */
function withWarnings(answer: ApiAnswer, warnings: readonly string[]): ApiAnswer {
  if (warnings.length === 0) return answer;
  const texts = [...new Set(warnings)].map((text) => `299 - ${quoted(text)}`);
  return { ...answer, headers: { ...answer.headers, warning: texts } };
}

function quoted(text: string): string {
  const printable = text.replace(/\p{Cc}/gu, " ").replace(/[\\"]/g, "\\$&");
  return `"${printable}"`;
}

/** A signal for the work of one request: the client's own, or the end of its time. */
class Deadline {
  readonly signal: AbortSignal;
  readonly #stop: () => void;

  constructor(clock: Clock, client: AbortSignal) {
    const controller = new AbortController();
    const timer = clock.after(requestMsMax, () => controller.abort(new DOMException("too slow", "TimeoutError")));
    this.#stop = () => timer.stop();
    this.signal = AbortSignal.any([client, controller.signal]);
  }

  stop(): void {
    this.#stop();
  }
}
