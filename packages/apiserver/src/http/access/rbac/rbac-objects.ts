import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ObjectStore } from "../../../storage/object-store.ts";
import type { StoredObject } from "../../../storage/stored-object.ts";

export const rbacGroup = "rbac.authorization.k8s.io";

const rbacResources = ["roles", "rolebindings", "clusterroles", "clusterrolebindings"] as const;
export type RbacResource = (typeof rbacResources)[number];

/** The state of one role or binding. */
export interface RbacObject {
  readonly plane: string;
  readonly resource: RbacResource;
  readonly namespace: string;
  readonly name: string;
  readonly revision: number;
  /** Undefined once it is deleted. */
  readonly object: JsonObject | undefined;
}

/** Roles and bindings as authorization reads them. */
export interface RbacObjects {
  /** The latest revision that `list` includes. */
  readonly revision: number;
  list(plane: string): Iterable<RbacObject>;
  /** Calls the listener for every later change, in all planes. Returns the function that unsubscribes. */
  watch(listener: (changed: RbacObject) => void): () => void;
}

export function storedRbacObjects(store: ObjectStore): RbacObjects {
  return {
    get revision() {
      return store.revision;
    },
    *list(plane) {
      for (const resource of rbacResources) {
        for (const stored of store.list({ plane, resource: `${resource}.${rbacGroup}` })) yield seen(resource, stored);
      }
    },
    watch(listener) {
      const stops = rbacResources.map((resource) =>
        store.watch({ resource: `${resource}.${rbacGroup}` }, store.revision, ({ type, stored }) => {
          const state = seen(resource, stored);
          listener(type === "deleted" ? { ...state, object: undefined } : state);
        }),
      );
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}

function seen(resource: RbacResource, { key, revision, object }: StoredObject): RbacObject {
  return { plane: key.plane, resource, namespace: key.namespace, name: key.name, revision, object };
}
