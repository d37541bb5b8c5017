import { isJsonObject, type JsonObject, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { RbacObject, RbacObjects, RbacResource } from "../src/http/access/rbac/rbac-objects.ts";

const resources: Readonly<Record<string, RbacResource>> = {
  Role: "roles",
  RoleBinding: "rolebindings",
  ClusterRole: "clusterroles",
  ClusterRoleBinding: "clusterrolebindings",
};

/** Roles and bindings in memory. */
export class MemoryRbacObjects implements RbacObjects {
  revision = 0;
  /** Number of planes that were read. */
  lists = 0;
  readonly #objects = new Map<string, RbacObject>();
  readonly #listeners = new Set<(changed: RbacObject) => void>();

  get watchers(): number {
    return this.#listeners.size;
  }

  put(plane: string, ...objects: readonly JsonObject[]): this {
    for (const object of objects) this.#write({ ...this.#address(plane, object), object });
    return this;
  }

  remove(plane: string, object: JsonObject): this {
    this.#write({ ...this.#address(plane, object), object: undefined });
    return this;
  }

  *list(plane: string): Iterable<RbacObject> {
    this.lists += 1;
    for (const object of this.#objects.values()) if (object.plane === plane) yield object;
  }

  watch(listener: (changed: RbacObject) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #address(plane: string, object: JsonObject): Omit<RbacObject, "object"> {
    const metadata = ownValue(object, "metadata");
    const text = (key: string) => String((isJsonObject(metadata) ? ownValue(metadata, key) : undefined) ?? "");
    const resource = resources[String(object["kind"])] as RbacResource;
    this.revision += 1;
    return { plane, resource, namespace: text("namespace"), name: text("name"), revision: this.revision };
  }

  #write(state: RbacObject): void {
    const key = JSON.stringify([state.plane, state.resource, state.namespace, state.name]);
    if (state.object === undefined) this.#objects.delete(key);
    else this.#objects.set(key, state);
    for (const listener of this.#listeners) listener(state);
  }
}
