import type { ApiResponse } from "@milo-quota/kubernetes/client/transport/api-request.ts";
import { failure, resourceNotFound, StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { listObjects } from "../../registry/list.ts";
import { type ObjectRequest, resourceOf, scopeOf } from "../../registry/object-request.ts";
import type { Registry } from "../../registry/registry.ts";
import { storedInView } from "../../registry/scoped-view.ts";
import { listResponse, objectResponse } from "../responses/object-responses.ts";
import { plainTextResponse } from "../responses/responses.ts";
import type { EventLines } from "../watch/event-lines.ts";
import type { OpenWatches } from "../watch/open-watches.ts";
import { tooLargeRevision, WatchStream } from "../watch/watch-stream.ts";
import { BadRevision, exactRevision, parseListOptions, revisionParameter } from "./list-options.ts";
import { type ResourceCall, readRequest, viewOptionsOf } from "./resource-call.ts";

export interface WatchDeps {
  readonly registry: Registry;
  readonly watches: OpenWatches;
  readonly lines: EventLines;
}

export function getObject(registry: Registry, call: ResourceCall): ApiResponse {
  const viewOptions = viewOptionsOf(call, registry.clock.now());
  const asked = revisionParameter(call.context.request.query.get("resourceVersion") ?? "");
  if (asked > registry.store.revision) throw tooLargeRevision(asked, registry.store.revision);
  const request = readRequest(call);
  const stored = storedInView(registry, request, call.path.name);
  if (stored === undefined) throw new StatusError(resourceNotFound(resourceOf(request), call.path.name));
  return objectResponse(200, stored, viewOptions);
}

export function listCollection(registry: Registry, call: ResourceCall): ApiResponse {
  const { query } = call.context.request;
  const options = parseListOptions(query, call.kind, call.path.name);
  const viewOptions = viewOptionsOf(call, registry.clock.now());
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
  return listResponse(listed.items, metadata, viewOptions);
}

function listRevision(text: string): number {
  try {
    return revisionParameter(text);
  } catch (error) {
    if (!(error instanceof BadRevision)) throw error;
    throw new StatusError(failure("BadRequest", `invalid resource version: ${error.message}`));
  }
}

/** The current revision. Watches of the same objects from inside this process get a bookmark with it. */
export function reportProgress({ registry, watches }: WatchDeps, call: ResourceCall): ApiResponse {
  watches.requestBookmarks(watchedBy(readRequest(call)));
  return plainTextResponse(200, String(registry.store.revision));
}

function watchedBy(request: ObjectRequest): string {
  return JSON.stringify(scopeOf(request));
}

export function watchCollection({ registry, watches, lines }: WatchDeps, call: ResourceCall): ApiResponse {
  const query = new URLSearchParams(call.context.request.query);
  query.set("watch", "true");
  const options = parseListOptions(query, call.kind, call.path.name);
  const viewOptions = viewOptionsOf(call, registry.clock.now());
  const asked = revisionParameter(options.resourceVersion);
  if (asked > registry.store.revision) throw tooLargeRevision(asked, registry.store.revision);
  watches.requireRoomFor(call.context.user);
  const request = readRequest(call);
  const isAskable = call.context.request.user !== undefined && options.allowBookmarks;
  const watched = isAskable ? { watched: watchedBy(request) } : {};
  const stream = new WatchStream({ ...registry, watches, lines, ...watched }, request, options, viewOptions);
  return { code: 200, headers: { "content-type": "application/json" }, body: stream };
}
