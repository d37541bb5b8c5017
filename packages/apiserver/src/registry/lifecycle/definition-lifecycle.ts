import {
  failure,
  resourceForbidden,
  StatusError,
  serviceUnavailable,
} from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { StoredObject } from "../../storage/stored-object.ts";
import { type ObjectRequest, resourceOf, storedResource } from "../object-request.ts";
import type { Registry } from "../registry.ts";

type Definitions = Pick<Registry, "store" | "definitionsFrom">;

const definitions = "customresourcedefinitions.apiextensions.k8s.io";

/**
 * Custom objects can be created only while their definition exists and is not terminating: otherwise they would be
 * orphaned.
 */
export function requireLiveDefinition(registry: Definitions, request: ObjectRequest, name: string): void {
  const { kind, plane } = request;
  if (!kind.isCustom) return;
  const definition = definitionIn(registry, plane, storedResource(kind));
  if (definition === undefined) {
    throw new StatusError(failure("NotFound", "the server could not find the requested resource", {}));
  }
  if (kind.isTerminating !== true && !isTerminating(definition)) return;
  const because = "create not allowed while custom resource definition is terminating";
  throw new StatusError(resourceForbidden(resourceOf(request), name, because));
}

/** The definition that applies in a plane: its own, or the inherited one. */
function definitionIn({ store, definitionsFrom }: Definitions, plane: string, name: string): StoredObject | undefined {
  const own = store.get({ plane, resource: definitions, namespace: "", name });
  const followed = own === undefined ? definitionsFrom?.(plane) : undefined;
  if (followed === undefined) return own;
  return store.get({ plane: followed, resource: definitions, namespace: "", name });
}

/** An object that was validated by one schema must not be stored under another. */
export function requireSameSchema({ kind, isServed }: ObjectRequest): void {
  if (isServed === undefined || isServed()) return;
  throw new StatusError(
    serviceUnavailable(
      `the definition of ${storedResource(kind)} changed while this request was on its way; try again`,
      1,
    ),
  );
}

const terminatingCache = new WeakMap<StoredObject, boolean>();

/** Cached per version, because definitions are large; checked in the text first, because nearly none is terminating. */
function isTerminating(definition: StoredObject): boolean {
  const cached = terminatingCache.get(definition);
  if (cached !== undefined) return cached;
  const isTold = definition.text.includes('"deletionTimestamp"');
  const isIt = isTold && definition.object.metadata.deletionTimestamp !== undefined;
  terminatingCache.set(definition, isIt);
  return isIt;
}
