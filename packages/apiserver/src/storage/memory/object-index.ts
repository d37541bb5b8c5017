import type { ObjectKey, Scope } from "../object-key.ts";
import type { StoredObject } from "../stored-object.ts";
import { compareKeys } from "./key-order.ts";
import { SortedObjects } from "./sorted-objects.ts";

interface Resource {
  readonly objects: SortedObjects;
  readonly planeCounts: Map<string, number>;
  /** The last key that shared its strings: the next one is usually its neighbour. */
  lastShared: ObjectKey | undefined;
}

/**
 * The latest version of every object. All planes of a resource share one sorted list, so that a plane costs nothing but
 * its objects. Empty lists are dropped.
 */
export class ObjectIndex {
  readonly #resources = new Map<string, Resource>();

  get(key: ObjectKey): StoredObject | undefined {
    return this.#resources.get(key.resource)?.objects.get(key);
  }

  /** Returns the previous version. */
  set(stored: StoredObject): StoredObject | undefined {
    const { resource, plane } = stored.key;
    const { objects, planeCounts } = this.#resource(resource);
    const previous = objects.set(stored);
    if (previous === undefined) planeCounts.set(plane, (planeCounts.get(plane) ?? 0) + 1);
    return previous;
  }

  /** Returns the deleted version. */
  delete(key: ObjectKey): StoredObject | undefined {
    const resource = this.#resources.get(key.resource);
    const previous = resource?.objects.delete(key);
    if (resource === undefined || previous === undefined) return undefined;
    const left = (resource.planeCounts.get(key.plane) ?? 0) - 1;
    if (left > 0) resource.planeCounts.set(key.plane, left);
    else resource.planeCounts.delete(key.plane);
    if (resource.objects.size === 0) this.#resources.delete(key.resource);
    return previous;
  }

  /** The resources that have objects. */
  get resources(): readonly string[] {
    return [...this.#resources.keys()];
  }

  /** A snapshot of a scope, in order. */
  list(scope: Scope, after: ObjectKey | undefined): Iterable<StoredObject> {
    const objects = this.#resources.get(scope.resource)?.objects;
    if (objects === undefined) return [];
    const { resource, plane = "", namespace = "" } = scope;
    const first: ObjectKey = { plane, resource, namespace: scope.plane === undefined ? "" : namespace, name: "" };
    const start = after !== undefined && compareKeys(after, first) >= 0 ? after : first;
    const snapshot = objects.from(start);
    return { [Symbol.iterator]: () => within(snapshot, scope, after) };
  }

  count(scope: Scope): number {
    const resource = this.#resources.get(scope.resource);
    if (resource === undefined) return 0;
    if (scope.namespace === undefined) {
      return scope.plane === undefined ? resource.objects.size : (resource.planeCounts.get(scope.plane) ?? 0);
    }
    let count = 0;
    for (const _ of this.list(scope, undefined)) count += 1;
    return count;
  }

  /** An equal key that shares its strings with a neighbour: a million objects have few planes and namespaces. */
  shared(key: ObjectKey): ObjectKey {
    const resource = this.#resources.get(key.resource);
    if (resource === undefined) return { ...key };
    const last = resource.lastShared;
    const isBeside = last?.plane === key.plane && last.namespace === key.namespace;
    const near = isBeside ? last : resource.objects.near(key)?.key;
    const shared = near === undefined ? { ...key } : sharing(key, near);
    resource.lastShared = shared;
    return shared;
  }

  #resource(name: string): Resource {
    const existing = this.#resources.get(name);
    if (existing !== undefined) return existing;
    const made = { objects: new SortedObjects(), planeCounts: new Map<string, number>(), lastShared: undefined };
    this.#resources.set(name, made);
    return made;
  }
}

function sharing({ plane, namespace, name }: ObjectKey, near: ObjectKey): ObjectKey {
  return {
    plane: near.plane === plane ? near.plane : plane,
    resource: near.resource,
    namespace: near.namespace === namespace ? near.namespace : namespace,
    name,
  };
}

export function inScope(scope: Scope, key: ObjectKey): boolean {
  return (
    (scope.plane === undefined || scope.plane === key.plane) &&
    (scope.namespace === undefined || scope.namespace === key.namespace)
  );
}

function* within(objects: Iterable<StoredObject>, scope: Scope, after: ObjectKey | undefined): Generator<StoredObject> {
  for (const stored of objects) {
    if (inScope(scope, stored.key)) {
      if (after === undefined || compareKeys(stored.key, after) > 0) yield stored;
    } else if (scope.plane !== undefined) {
      return;
    }
  }
}
