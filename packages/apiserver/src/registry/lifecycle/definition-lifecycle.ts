import { failure, forbiddenTo, StatusError, serviceUnavailable } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { StoredObject } from "../../storage/stored-object.ts";
import { type ObjectRequest, resourceOf, storedResource } from "../object-request.ts";
import type { Registry } from "../registry.ts";

type Definitions = Pick<Registry, "store" | "definitionsFrom">;

const definitions = "customresourcedefinitions.apiextensions.k8s.io";

/** Custom objects are made while their definition is there and not on its way out: nobody would find them afterwards. */
export function requireLiveDefinition(registry: Definitions, request: ObjectRequest, name: string): void {
  const { kind, plane } = request;
  if (!kind.isCustom) return;
  const definition = definitionIn(registry, plane, storedResource(kind));
  if (definition === undefined) {
    throw new StatusError(failure("NotFound", "the server could not find the requested resource", {}));
  }
  if (kind.isEnding !== true && !isEnding(definition)) return;
  const because = "create not allowed while custom resource definition is terminating";
  throw new StatusError(forbiddenTo(resourceOf(request), name, because));
}

/** The definition that holds in a plane: its own, or that of the plane whose definitions it has as well. */
function definitionIn({ store, definitionsFrom }: Definitions, plane: string, name: string): StoredObject | undefined {
  const own = store.get({ plane, resource: definitions, namespace: "", name });
  const followed = own === undefined ? definitionsFrom?.(plane) : undefined;
  if (followed === undefined) return own;
  return store.get({ plane: followed, resource: definitions, namespace: "", name });
}

/** What was read and checked by one schema is not stored under another. */
export function requireSameSchema({ kind, isServed }: ObjectRequest): void {
  if (isServed === undefined || isServed()) return;
  throw new StatusError(
    serviceUnavailable(
      `the definition of ${storedResource(kind)} changed while this request was on its way; try again`,
      1,
    ),
  );
}

const knownEnding = new WeakMap<StoredObject, boolean>();

/** A version of a definition is asked once, for it is large; and nearly none is ending, as its text says unparsed. */
function isEnding(definition: StoredObject): boolean {
  const known = knownEnding.get(definition);
  if (known !== undefined) return known;
  const isTold = definition.text.includes('"deletionTimestamp"');
  const isIt = isTold && definition.object.metadata.deletionTimestamp !== undefined;
  knownEnding.set(definition, isIt);
  return isIt;
}
