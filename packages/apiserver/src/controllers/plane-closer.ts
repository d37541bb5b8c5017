import type { Random } from "@milo-quota/kubernetes/client/backoff.ts";
import { type ReconcileResult, reconciled, type WorkQueue } from "@milo-quota/kubernetes/client/queue/work-queue.ts";
import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";
import type { DefinitionsFrom } from "../registry/kinds/kind-catalog.ts";
import type { ObjectKey } from "../storage/object-key.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import { controllerQueue } from "./controller-queue.ts";

interface Deps {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly definitionsFrom: DefinitionsFrom | undefined;
  /** Ends the watches of one plane: the next plane of that name must not be visible to them. */
  readonly endWatches: (plane: string) => void;
  /** Removes an object from the store, together with the companions it has in other planes. */
  readonly remove: (stored: StoredObject) => Promise<unknown>;
  readonly report: (error: unknown) => void;
}

interface Closing {
  readonly done: Promise<void>;
  settle(error?: unknown): void;
}

/** Marker object that exists in a plane from the start of its deletion to the end, so that a restart resumes it. */
const markerResource = "closings.planes.internal";
const marker = { apiVersion: "planes.internal/v1", kind: "Closing", metadata: { name: "closing" } };
const keyIn = (plane: string): ObjectKey => ({ plane, resource: markerResource, namespace: "", name: "closing" });

/**
 * Deleted last, because objects are read by their definitions; namespaces just before them, because objects are in
 * them.
 */
const lastResources = ["namespaces", "customresourcedefinitions.apiextensions.k8s.io"];
const removalsAtOnce = 100;

/** Deletes planes with everything in them, ignoring finalizers. Their names can be reused afterwards. */
export class PlaneCloser {
  readonly #deps: Deps;
  readonly #closing = new Map<string, Closing>();
  readonly #queue: WorkQueue<string>;

  constructor(deps: Deps) {
    this.#deps = deps;
    const { clock, random, report, store } = deps;
    const reconcile = (plane: string): Promise<ReconcileResult> => this.#reconcile(plane);
    this.#queue = controllerQueue({ idOf: (plane) => plane, clock, random, report, reconcile });
    for (const { key } of store.list({ resource: markerResource })) {
      this.#begin(key.plane);
      this.#queue.add(key.plane);
    }
  }

  /** Whether a plane is being deleted: nothing can be created in it, and requests to it fail. */
  isClosing(plane: string): boolean {
    return this.#closing.has(plane);
  }

  /** Resolves when nothing of the plane is left. Once started it continues, across restarts if necessary. */
  async close(plane: string): Promise<void> {
    const existing = this.#closing.get(plane);
    if (existing !== undefined) return existing.done;
    this.#requireNoInheritors(plane);
    const { done, settle } = this.#begin(plane);
    try {
      const result = await this.#deps.store.put(keyIn(plane), 0, marker);
      if (!result.ok) throw new Error(`plane "${plane}" is being closed by another request`);
      this.#queue.add(plane);
    } catch (error) {
      this.#closing.delete(plane);
      settle(error);
    }
    return done;
  }

  /** Resolves when the plane is not being deleted, or no longer. */
  async closed(plane: string): Promise<void> {
    await this.#closing.get(plane)?.done;
  }

  stop(): void {
    void this.#queue.stop();
    for (const [plane, { settle }] of this.#closing) {
      settle(new Error(`the server stopped; plane "${plane}" will continue to close after a restart`));
    }
  }

  #begin(plane: string): Closing {
    let settle: Closing["settle"] = () => undefined;
    const done = new Promise<void>((resolve, reject) => {
      settle = (error) => (error === undefined ? resolve() : reject(error));
    });
    done.catch(() => undefined); // the caller may not wait for it
    const closing = { done, settle };
    this.#closing.set(plane, closing);
    return closing;
  }

  /** Objects in other planes that use definitions of this one would be left without a definition. */
  #requireNoInheritors(plane: string): void {
    const { store, definitionsFrom } = this.#deps;
    if (definitionsFrom === undefined) return;
    for (const { key } of store.list({ resource: "namespaces" })) {
      if (key.plane !== plane && definitionsFrom(key.plane) === plane) {
        throw new Error(`plane "${plane}" cannot be closed while plane "${key.plane}" uses its definitions`);
      }
    }
  }

  async #reconcile(plane: string): Promise<ReconcileResult> {
    const { store, endWatches } = this.#deps;
    // Writes that were in flight when the plane began to close are stored after this; later ones are rejected.
    await store.settled();
    const others = store
      .resources()
      .filter((resource) => resource !== markerResource && !lastResources.includes(resource));
    for (const resource of [...others, ...lastResources]) await this.#removeAll(plane, resource);
    endWatches(plane);
    await this.#remove(store.get(keyIn(plane)));
    this.#closing.get(plane)?.settle();
    this.#closing.delete(plane);
    return reconciled;
  }

  async #removeAll(plane: string, resource: string): Promise<void> {
    const { store } = this.#deps;
    while (store.count({ plane, resource }) > 0) {
      let some: StoredObject[] = [];
      for (const stored of store.list({ plane, resource })) {
        some.push(stored);
        if (some.length < removalsAtOnce) continue;
        await Promise.all(some.map((each) => this.#remove(each)));
        some = [];
      }
      await Promise.all(some.map((each) => this.#remove(each)));
    }
  }

  /** An object that was changed meanwhile is removed in the next pass. */
  async #remove(stored: StoredObject | undefined): Promise<void> {
    if (stored !== undefined) await this.#deps.remove(stored);
  }
}
