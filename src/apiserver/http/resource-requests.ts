import { failure, resourceNotFound, StatusError } from "../../protocol/api-status.ts";
import { formatApiVersion } from "../../protocol/object-meta.ts";
import { createObject } from "../registry/create.ts";
import { type DeleteOptions, deletedStatus, deleteObject } from "../registry/delete.ts";
import type { PlaneKinds } from "../registry/kind-catalog.ts";
import { listObjects } from "../registry/list.ts";
import {
  keyOf,
  type ObjectRequest,
  resourceOf,
  type Subresource,
  type WriteRequest,
} from "../registry/object-request.ts";
import { nextByPatch, type PatchType } from "../registry/patch-state.ts";
import type { Registry } from "../registry/registry.ts";
import { sentObject } from "../registry/sent-object.ts";
import type { ApiObject, ServedKind, Verb } from "../registry/served-kind.ts";
import { nextByReplacement, requireName, updateObject } from "../registry/update.ts";
import type { StoredObject } from "../storage/object-store.ts";
import { negotiate } from "./accept.ts";
import { firstHeader } from "./access/authenticator.ts";
import { jsonAnswer, methodNotAllowed, noSuchResource, textAnswer } from "./answers.ts";
import type { ApiAnswer, ApiRequest } from "./api-request.ts";
import { type BodyKind, bodyText, contentType, objectBody, unsupportedMediaType } from "./body.ts";
import { parseDeleteOptions } from "./delete-options.ts";
import type { EventLines } from "./event-lines.ts";
import { BadRevision, exactRevision, parseListOptions, revisionParameter } from "./list-options.ts";
import { isPretty } from "./pretty.ts";
import { listText, objectText, parseIncludeObject, type Showing } from "./representation.ts";
import type { RequestContext } from "./request-context.ts";
import type { ResourcePath } from "./request-info.ts";
import { tooLargeRevision, type WatchLimits, WatchStream } from "./watch-stream.ts";
import { parseWriteOptions } from "./write-options.ts";

interface Ports {
  readonly registry: Registry;
  readonly watchLimits: WatchLimits;
  readonly lines: EventLines;
}

/** A request about objects of a kind, in the terms of the API. */
export interface ResourceCall {
  readonly context: RequestContext;
  readonly path: ResourcePath;
  readonly kind: ServedKind;
  readonly verb: Verb;
}

/** The verb that a method means on a path; undefined when it has none there. */
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

/** The kind that a path is about; refuses what is not served there. */
export function kindAt(kinds: PlaneKinds, path: ResourcePath): ServedKind {
  const kind = kinds.find(path.group, path.version, path.resource);
  if (kind === undefined) throw noSuchResource();
  if (path.subresource !== "" && !subresourcesOf(kind).includes(path.subresource)) throw noSuchResource();
  if (kind.scope === "Cluster" && path.namespace !== "") throw noSuchResource();
  return kind;
}

function subresourcesOf(kind: ServedKind): readonly string[] {
  const isNamespace = kind.group === "" && kind.plural === "namespaces";
  return [...(kind.hasStatus ? ["status"] : []), ...(isNamespace ? ["finalize"] : [])];
}

export async function answerResource(ports: Ports, call: ResourceCall): Promise<ApiAnswer> {
  if (!call.kind.verbs.includes(call.verb) || !isInPlace(call)) throw methodNotAllowed();
  const { deprecationWarning } = call.kind;
  if (deprecationWarning !== undefined) call.context.warnings.push(deprecationWarning);
  switch (call.verb) {
    case "get":
      return get(ports, call);
    case "list":
      return list(ports, call);
    case "watch":
      return watch(ports, call);
    case "create":
      return create(ports, call);
    case "update":
      return update(ports, call);
    case "patch":
      return patch(ports, call);
    case "delete":
      return remove(ports, call);
    case "deletecollection":
      return removeCollection(ports, call);
  }
}

/** Objects in namespaces are made and named there; across namespaces they can be listed and watched. */
function isInPlace({ kind, path, verb }: ResourceCall): boolean {
  if (path.subresource !== "" && !["get", "update", "patch"].includes(verb)) return false;
  if (path.subresource === "finalize" && verb !== "update") return false;
  return kind.scope === "Cluster" || path.namespace !== "" || verb === "list" || verb === "watch";
}

function get({ registry }: Ports, call: ResourceCall): ApiAnswer {
  const asked = revisionParameter(call.context.request.query.get("resourceVersion") ?? "");
  if (asked > registry.store.revision) throw tooLargeRevision(asked, registry.store.revision);
  const request = readRequest(call);
  const stored = registry.store.get(keyOf(request, call.path.name));
  if (stored === undefined) throw new StatusError(resourceNotFound(resourceOf(request), call.path.name));
  return objectAnswer(registry, call, 200, stored);
}

function list({ registry }: Ports, call: ResourceCall): ApiAnswer {
  const { query } = call.context.request;
  const options = parseListOptions(query, call.kind, call.path.name);
  const showing = showingOf(registry, call);
  const { store } = registry;
  const asked = listRevision(options.resourceVersion);
  if (asked > store.revision) throw tooLargeRevision(asked, store.revision);
  const exact = exactRevision(options);
  const listed = listObjects(registry, readRequest(call), {
    selection: options.selection,
    limit: options.limit,
    continueToken: options.continueToken,
    ...(exact === undefined ? {} : { exactRevision: exact }),
  });
  const metadata = {
    resourceVersion: String(listed.revision),
    ...(listed.continueToken === "" ? {} : { continue: listed.continueToken }),
    ...(listed.remaining === undefined ? {} : { remainingItemCount: listed.remaining }),
  };
  return textAnswer(200, listText(listed.items, metadata, showing), showing.accepted);
}

function listRevision(text: string): number {
  try {
    return revisionParameter(text);
  } catch (error) {
    if (!(error instanceof BadRevision)) throw error;
    throw new StatusError(failure("BadRequest", `invalid resource version: ${error.message}`));
  }
}

function watch({ registry, watchLimits, lines }: Ports, call: ResourceCall): ApiAnswer {
  const query = new URLSearchParams(call.context.request.query);
  query.set("watch", "true");
  const options = parseListOptions(query, call.kind, call.path.name);
  const showing = showingOf(registry, call);
  const asked = revisionParameter(options.resourceVersion);
  if (asked > registry.store.revision) throw tooLargeRevision(asked, registry.store.revision);
  const { store, clock } = registry;
  const stream = new WatchStream({ store, clock, limits: watchLimits, lines }, readRequest(call), options, showing);
  return { code: 200, headers: { "content-type": "application/json" }, body: stream };
}

async function create({ registry }: Ports, call: ResourceCall): Promise<ApiAnswer> {
  const { request } = call.context;
  const options = parseWriteOptions(request, "CreateOptions");
  const write = writeRequest(call, options);
  const { value, duplicates } = await objectBody(request, bodyKind(call.kind));
  const stored = await createObject(registry, write, sentObject(value, write, duplicates));
  return objectAnswer(registry, call, 201, stored);
}

async function update({ registry }: Ports, call: ResourceCall): Promise<ApiAnswer> {
  const { request } = call.context;
  const write = writeRequest(call, parseWriteOptions(request, "UpdateOptions"));
  const { value, duplicates } = await objectBody(request, bodyKind(call.kind));
  const object = requireName(sentObject(value, write, duplicates), call.path.name);
  const next = nextByReplacement(object, write, registry.clock);
  const { stored, created } = await updateObject(registry, write, call.path.name, next);
  return objectAnswer(registry, call, created ? 201 : 200, stored);
}

function bodyKind({ group, version, kind, isCustom }: ServedKind): BodyKind {
  return { apiVersion: formatApiVersion(group, version), kind, isCustom };
}

const patchTypes: Readonly<Record<string, PatchType>> = {
  "application/json-patch+json": "json",
  "application/merge-patch+json": "merge",
  "application/strategic-merge-patch+json": "strategic",
  "application/apply-patch+yaml": "apply",
};

const customPatchTypes = Object.keys(patchTypes).filter((name) => patchTypes[name] !== "strategic");

function unknownPatchType(): StatusError {
  return new StatusError(failure("UnsupportedMediaType", "415: Unsupported Media Type", {}));
}

async function patch({ registry }: Ports, call: ResourceCall): Promise<ApiAnswer> {
  const { request } = call.context;
  const type = patchTypes[contentType(request)];
  if (type === undefined) throw unknownPatchType();
  if (call.kind.isCustom && type === "strategic") throw unsupportedMediaType(customPatchTypes);
  const options = parseWriteOptions(request, "PatchOptions", type === "apply");
  const write = writeRequest(call, options);
  const text = await bodyText(request);
  const next = nextByPatch({ type, text, force: options.force, name: call.path.name }, write, registry.clock);
  const { stored, created } = await updateObject(registry, write, call.path.name, next);
  return objectAnswer(registry, call, created ? 201 : 200, stored);
}

async function remove({ registry }: Ports, call: ResourceCall): Promise<ApiAnswer> {
  const { options, dryRun } = await parseDeleteOptions(call.context.request);
  const write = { ...writeRequest(call, noOptions), dryRun };
  const deleted = await deleteObject(registry, write, call.path.name, options);
  if (!deleted.gone) return objectAnswer(registry, call, acceptedCode(options), deleted.stored);
  if (call.kind.returnsDeleted === true) return objectAnswer(registry, call, 200, deleted.last);
  return jsonAnswer(200, deletedStatus(write, deleted.last.object as ApiObject), showingOf(registry, call).accepted);
}

/** The old way to ask for dependents to go first is answered by another code than the new one. */
function acceptedCode({ orphanDependents }: DeleteOptions): number {
  return orphanDependents === false ? 202 : 200;
}

async function removeCollection({ registry }: Ports, call: ResourceCall): Promise<ApiAnswer> {
  const { options, dryRun } = await parseDeleteOptions(call.context.request);
  const { selection, limit, continueToken } = parseListOptions(call.context.request.query, call.kind, "");
  const write = { ...writeRequest(call, noOptions), dryRun };
  const listed = listObjects(registry, write, { selection, limit, continueToken });
  for (const { key } of listed.items) {
    await deleteObject(registry, { ...write, namespace: key.namespace }, key.name, options).catch(ignoreNotFound);
  }
  const showing = showingOf(registry, call);
  const metadata = { resourceVersion: String(listed.revision) };
  return textAnswer(200, listText(listed.items, metadata, showing), showing.accepted);
}

const noOptions = { dryRun: false, manager: "", fieldValidation: "Ignore", force: false } as const;

function ignoreNotFound(error: unknown): void {
  if (!(error instanceof StatusError) || error.status.reason !== "NotFound") throw error;
}

function readRequest({ context, kind, path }: ResourceCall): ObjectRequest {
  return {
    plane: context.plane,
    kind,
    namespace: path.namespace,
    user: context.user,
    warn: (text) => context.warnings.push(text),
    signal: context.signal,
  };
}

function writeRequest(call: ResourceCall, options: Omit<ReturnType<typeof parseWriteOptions>, "force">): WriteRequest {
  const { dryRun, manager, fieldValidation } = options;
  const subresource = call.path.subresource as Subresource;
  return { ...readRequest(call), subresource, dryRun, manager, fieldValidation };
}

function objectAnswer(registry: Registry, call: ResourceCall, code: number, stored: StoredObject): ApiAnswer {
  const showing = showingOf(registry, call);
  return textAnswer(code, objectText(stored, showing), showing.accepted);
}

function showingOf({ clock }: Registry, { context: { request }, kind, verb }: ResourceCall): Showing {
  const accepted = negotiate(
    firstHeader(request.headers, "accept"),
    isPretty(request),
    verb === "list" || verb === "watch",
  );
  const includeObject = accepted.representation === "Table" ? parseIncludeObject(request.query) : "Metadata";
  return { kind, accepted, includeObject, nowMs: clock.now() };
}
