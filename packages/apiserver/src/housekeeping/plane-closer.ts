import type { Random } from "@milo-quota/kubernetes/client/backoff.ts";
import { type Outcome, settled, type WorkQueue } from "@milo-quota/kubernetes/client/queue/work-queue.ts";
import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";
import type { DefinitionsFrom } from "../registry/kinds/kind-catalog.ts";
import type { ObjectKey } from "../storage/object-key.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import { housekeepingQueue } from "./housekeeping-queue.ts";

/** What the closer works with. */
interface Deps {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly definitionsFrom: DefinitionsFrom | undefined;
  /** Ends the watches of one plane: whoever gets its name next has other readers. */
  readonly endWatches: (plane: string) => void;
  /** Takes an object out of the store, and what goes with it in other planes. */
  readonly remove: (stored: StoredObject) => Promise<unknown>;
  readonly report: (error: unknown) => void;
}

interface Closing {
  readonly done: Promise<void>;
  settle(error?: unknown): void;
}

/** Lies in a plane from when it is to go until nothing else is left of it, so that a crash stops nothing. */
const marks = "closings.planes.internal";
const mark = { apiVersion: "planes.internal/v1", kind: "Closing", metadata: { name: "closing" } };
const keyIn = (plane: string): ObjectKey => ({ plane, resource: marks, namespace: "", name: "closing" });

/** Last, for others are shown by what they say; namespaces just before them, for others are in them. */
const lastResources = ["namespaces", "customresourcedefinitions.apiextensions.k8s.io"];
const removalsAtOnce = 100;

/** Removes planes with everything in them, whatever finalizers say. Their names can be used again afterwards. */
export class PlaneCloser {
  readonly #deps: Deps;
  readonly #closing = new Map<string, Closing>();
  readonly #queue: WorkQueue<string>;

  constructor(deps: Deps) {
    this.#deps = deps;
    const { clock, random, report, store } = deps;
    const work = (plane: string): Promise<Outcome> => this.#empty(plane);
    this.#queue = housekeepingQueue({ idOf: (plane) => plane, clock, random, report, work });
    for (const { key } of store.list({ resource: marks })) {
      this.#begin(key.plane);
      this.#queue.add(key.plane);
    }
  }

  /** Whether a plane is on its way out: nothing is made in it any more, and nobody is answered. */
  isClosing(plane: string): boolean {
    return this.#closing.has(plane);
  }

  /** Resolves when nothing is left of the plane. Once begun it goes on, over restarts if need be. */
  async close(plane: string): Promise<void> {
    const known = this.#closing.get(plane);
    if (known !== undefined) return known.done;
    this.#requireUnfollowed(plane);
    const { done, settle } = this.#begin(plane);
    try {
      const result = await this.#deps.store.put(keyIn(plane), 0, mark);
      if (!result.ok) throw new Error(`plane "${plane}" is being closed by somebody else`);
      this.#queue.add(plane);
    } catch (error) {
      this.#closing.delete(plane);
      settle(error);
    }
    return done;
  }

  /** Resolves when the plane is not closing, or no longer. */
  async closed(plane: string): Promise<void> {
    await this.#closing.get(plane)?.done;
  }

  stop(): void {
    void this.#queue.stop();
    for (const [plane, { settle }] of this.#closing) {
      settle(new Error(`the server stopped; plane "${plane}" goes on closing when it starts again`));
    }
  }

  #begin(plane: string): Closing {
    let settle: Closing["settle"] = () => undefined;
    const done = new Promise<void>((resolve, reject) => {
      settle = (error) => (error === undefined ? resolve() : reject(error));
    });
    done.catch(() => undefined); // perhaps nobody waits for it
    const closing = { done, settle };
    this.#closing.set(plane, closing);
    return closing;
  }

  /** Objects that other planes have by definitions of this one would be left to nobody. */
  #requireUnfollowed(plane: string): void {
    const { store, definitionsFrom } = this.#deps;
    if (definitionsFrom === undefined) return;
    for (const { key } of store.list({ resource: "namespaces" })) {
      if (key.plane !== plane && definitionsFrom(key.plane) === plane) {
        throw new Error(`plane "${plane}" cannot be closed while plane "${key.plane}" has its definitions`);
      }
    }
  }

  async #empty(plane: string): Promise<Outcome> {
    const { store, endWatches } = this.#deps;
    // What was on its way when the plane began to close is there after this; nothing else comes in.
    await store.settled();
    const others = store.resources().filter((resource) => resource !== marks && !lastResources.includes(resource));
    for (const resource of [...others, ...lastResources]) await this.#removeAll(plane, resource);
    endWatches(plane);
    await this.#remove(store.get(keyIn(plane)));
    this.#closing.get(plane)?.settle();
    this.#closing.delete(plane);
    return settled;
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

  /** One that somebody changed meanwhile is there in the next round. */
  async #remove(stored: StoredObject | undefined): Promise<void> {
    if (stored !== undefined) await this.#deps.remove(stored);
  }
}
