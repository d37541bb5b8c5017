import { failure, resourceExpired, StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { type ObjectStore, RevisionCompacted } from "../storage/object-store.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import { type Continuation, readContinue, writeContinue } from "./continue-token.ts";
import { type Selectors, selects, selectsEverything } from "./field-values.ts";
import { type ObjectRequest, scopeOf, storedResource } from "./object-request.ts";
import type { Registry } from "./registry.ts";
import { isInView } from "./scoped-view.ts";

export interface ListQuery {
  readonly selection: Selectors;
  /** 0: no limit. */
  readonly limit: number;
  readonly continueToken: string;
  /** List at exactly this revision. */
  readonly exactRevision?: number;
}

export interface Listed {
  readonly revision: number;
  readonly items: readonly StoredObject[];
  /** Empty on the last page. */
  readonly continueToken: string;
  /** Number of objects after this page; unknown with a selector. */
  readonly remaining?: number;
}

const listTooOld =
  "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.";

/** One page of objects, all at the same revision. */
export function listObjects({ store }: Pick<Registry, "store">, request: ObjectRequest, query: ListQuery): Listed {
  const from = query.continueToken === "" ? undefined : readContinue(query.continueToken);
  const revision = revisionOf(store, query, from);
  const items: StoredObject[] = [];
  const isAll = selectsEverything(query.selection);
  for (const stored of candidates(store, request, revision, from)) {
    // Without a selector nothing is parsed.
    if (!isAll && !selects(query.selection, stored, request.kind)) continue;
    if (!isInView(request, stored)) continue;
    if (query.limit > 0 && items.length === query.limit) {
      const seen = (from?.seen ?? 0) + items.length;
      const { plane, namespace, name } = (items.at(-1) as StoredObject).key;
      const position = request.allPlanes === true ? { plane, namespace, name } : { namespace, name };
      const continueToken = writeContinue({ revision, ...position, seen });
      return { revision, items, continueToken, ...remainingPart(store, request, query, seen) };
    }
    items.push(stored);
  }
  return { revision, items, continueToken: "" };
}

/** An estimate, as in Kubernetes: objects may have been created and deleted since the first page. */
function remainingPart(
  store: ObjectStore,
  request: ObjectRequest,
  { selection }: ListQuery,
  seen: number,
): Pick<Listed, "remaining"> {
  const isCounted = selectsEverything(selection) && request.within?.shows === undefined;
  return isCounted ? { remaining: Math.max(1, store.count(scopeOf(request)) - seen) } : {};
}

function revisionOf(store: ObjectStore, query: ListQuery, from: Continuation | undefined): number {
  if (from !== undefined && from.revision > store.revision) throw isFutureToken(from, store);
  const asked = from !== undefined && from.revision >= 0 ? from.revision : query.exactRevision;
  // A list at the revision of a transaction's first writes includes all of its writes.
  return asked === undefined ? store.revision : store.wholeRevision(asked);
}

/** A token from another server, or from before this one was restored from a backup. */
function isFutureToken({ revision }: Continuation, store: ObjectStore): StatusError {
  const because = `its revision ${revision} is newer than the latest, ${store.revision}`;
  return new StatusError(failure("BadRequest", `invalid continue token: continue key is not valid: ${because}`));
}

function candidates(
  store: ObjectStore,
  request: ObjectRequest,
  revision: number,
  from: Continuation | undefined,
): Iterable<StoredObject> {
  const { kind, allPlanes } = request;
  const plane = (allPlanes === true ? from?.plane : undefined) ?? request.plane;
  const after = from && { plane, resource: storedResource(kind), namespace: from.namespace, name: from.name };
  try {
    return store.list(scopeOf(request), {
      ...(revision === store.revision ? {} : { at: revision }),
      ...(after === undefined ? {} : { after }),
    });
  } catch (error) {
    if (!(error instanceof RevisionCompacted)) throw error;
    throw new StatusError(tooOld(from));
  }
}

function tooOld(from: Continuation | undefined): ReturnType<typeof resourceExpired> {
  if (from === undefined) return resourceExpired("The resourceVersion for the provided list is too old.");
  const status = resourceExpired(listTooOld);
  const rest = writeContinue({ ...from, revision: -1 });
  return { ...status, metadata: { continue: rest } as unknown as typeof status.metadata };
}
