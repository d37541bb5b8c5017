import { again, type Outcome, settled, type WorkQueue } from "@milo-quota/kubernetes/client/queue/work-queue.ts";
import type { Condition } from "@milo-quota/kubernetes/protocol/condition.ts";
import { setCondition } from "@milo-quota/kubernetes/protocol/condition.ts";
import { timeText } from "@milo-quota/kubernetes/protocol/time.ts";
import { deleteObject } from "../registry/delete.ts";
import { ownedAfterUpdate } from "../registry/field-ownership.ts";
import type { ApiObject } from "../registry/kinds/api-object.ts";
import type { KindCatalog } from "../registry/kinds/kind-catalog.ts";
import type { ServedKind } from "../registry/kinds/served-kind.ts";
import { namespaces } from "../registry/lifecycle/namespace-lifecycle.ts";
import { finalizersOf } from "../registry/metadata/metadata.ts";
import { storedResource } from "../registry/object-request.ts";
import type { Registry } from "../registry/registry.ts";
import { updateObject } from "../registry/update.ts";
import { keyText } from "../storage/memory/key-order.ts";
import type { ObjectKey } from "../storage/object-key.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import { Gone, ignoreGone } from "./gone.ts";
import { housekeepingQueue } from "./housekeeping-queue.ts";
import { serverRequest, systemUser } from "./server-request.ts";

const user = systemUser("namespace-controller");
const finalizer = "kubernetes";

/** How soon to look again at a namespace whose objects are on their way out. */
const againMs = 100;

/** Empties namespaces that are being deleted, and lets them go when nothing is left in them. */
export class NamespaceEmptier {
  readonly #registry: Registry;
  readonly #kinds: KindCatalog;
  readonly #queue: WorkQueue<ObjectKey>;
  readonly #stopWatch: () => void;

  constructor(registry: Registry, kinds: KindCatalog, report: (error: unknown) => void) {
    this.#registry = registry;
    this.#kinds = kinds;
    const { clock, random, store } = registry;
    const work = (key: ObjectKey, signal: AbortSignal): Promise<Outcome> => this.#empty(key, signal);
    this.#queue = housekeepingQueue({ idOf: keyText, clock, random, report, work });
    const from = store.revision;
    for (const stored of store.list({ resource: namespaces })) this.#learn(stored);
    this.#stopWatch = store.watch({ resource: namespaces }, from, ({ type, stored }) => {
      if (type !== "deleted") this.#learn(stored);
    });
  }

  stop(): void {
    this.#stopWatch();
    void this.#queue.stop();
  }

  #learn({ key, object }: StoredObject): void {
    if (object.metadata.deletionTimestamp !== undefined) this.#queue.add(key);
  }

  async #empty(key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
    const uid = this.#endingAt(key);
    if (uid === undefined) return settled;
    const ending = { key, uid };
    // Objects that were on their way when the namespace began to end are there after this; no others come in.
    await this.#registry.store.settled();
    const left: Remaining[] = [];
    for (const kind of this.#kinds.inPlane(key.plane).resources) {
      if (kind.scope !== "Namespaced") continue;
      // Somebody else may have let it go meanwhile: what is in the next one of its name is not to be deleted.
      if (this.#endingAt(key) !== uid) return settled;
      left.push(...(await this.#deleteAll(key, kind, signal)));
    }
    if (left.length > 0) {
      await this.#tell(ending, left, signal);
      const failed = left.find(({ failure }) => failure !== undefined);
      // Whoever refuses is asked again, less and less often.
      if (failed !== undefined) throw new Error(`namespace ${key.name} cannot be emptied: ${failed.failure}`);
      return again(againMs);
    }
    await this.#release(ending, signal);
    return settled;
  }

  /** The UID of the namespace there, if it is being deleted and waits for us. A new one of its name does not. */
  #endingAt(key: ObjectKey): string | undefined {
    const namespace = this.#registry.store.get(key)?.object as ApiObject | undefined;
    if (namespace?.metadata.deletionTimestamp === undefined || !holds(namespace)) return undefined;
    return namespace.metadata.uid;
  }

  /** Asks every object to go; returns those whose finalizers keep them. */
  async #deleteAll({ plane, name }: ObjectKey, kind: ServedKind, signal: AbortSignal): Promise<Remaining[]> {
    const resource = storedResource(kind);
    const left: Remaining[] = [];
    for (const { key, object } of [...this.#registry.store.list({ plane, resource, namespace: name })]) {
      if (object.metadata.deletionTimestamp === undefined) {
        const request = serverRequest(key, kind, user, signal);
        const { uid } = object.metadata;
        const options = { propagationPolicy: "Background", ...(uid === undefined ? {} : { uid }) };
        const failure = await failureOf(deleteObject(this.#registry, request, key.name, options));
        if (failure !== undefined) {
          left.push({ kind, finalizers: [], failure });
          continue;
        }
      }
      const still = this.#registry.store.get(key);
      if (still !== undefined) left.push({ kind, finalizers: finalizersOf(still.object as ApiObject) });
    }
    return left;
  }

  async #tell(ending: Ending, left: readonly Remaining[], signal: AbortSignal): Promise<void> {
    const now = timeText(this.#registry.clock.now());
    await this.#change(ending, "status", signal, (current) => {
      const status = (current["status"] ?? {}) as { readonly conditions?: readonly Condition[] };
      const conditions = conditionsFor(left).reduce(
        (all, condition) => setCondition(all, condition, now),
        status.conditions ?? [],
      );
      return { ...current, status: { ...status, phase: "Terminating", conditions } } as unknown as ApiObject;
    });
  }

  #release(ending: Ending, signal: AbortSignal): Promise<void> {
    return this.#change(ending, "finalize", signal, (current) => {
      const spec = (current["spec"] ?? {}) as { readonly finalizers?: readonly string[] };
      const finalizers = (spec.finalizers ?? []).filter((name) => name !== finalizer);
      return { ...current, spec: { ...spec, finalizers } } as unknown as ApiObject;
    });
  }

  async #change(
    { key, uid }: Ending,
    subresource: "status" | "finalize",
    signal: AbortSignal,
    change: (current: ApiObject) => ApiObject,
  ): Promise<void> {
    const kind = this.#kinds.inPlane(key.plane).find("", "v1", namespaces);
    if (kind === undefined) return;
    const request = { ...serverRequest(key, kind, user, signal), subresource };
    await updateObject(this.#registry, request, key.name, (current) => {
      if (current?.metadata.uid !== uid) throw new Gone();
      return ownedAfterUpdate(current, change(current), request, this.#registry.clock.now());
    }).catch(ignoreGone);
  }
}

/** A namespace on its way out: this very one, not whichever has its name by now. */
interface Ending {
  readonly key: ObjectKey;
  readonly uid: string;
}

interface Remaining {
  readonly kind: ServedKind;
  readonly finalizers: readonly string[];
  /** Why it was not deleted. */
  readonly failure?: string;
}

/** Somebody may refuse that an object goes; the others go all the same. Undefined when it went. */
async function failureOf(work: Promise<unknown>): Promise<string | undefined> {
  try {
    await work.catch(ignoreGone);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function holds(namespace: ApiObject): boolean {
  const spec = namespace["spec"] as { readonly finalizers?: readonly string[] } | undefined;
  return spec?.finalizers?.includes(finalizer) === true;
}

function conditionsFor(left: readonly Remaining[]) {
  const kinds = counted(left.map(({ kind }) => storedResource(kind)));
  const finalizers = counted(left.flatMap((object) => object.finalizers));
  const list = (counts: readonly (readonly [string, number])[], of: string): string =>
    counts.map(([name, count]) => `${name} ${of} ${count} resource instances`).join(", ");
  const failures = [...new Set(left.flatMap(({ failure }) => (failure === undefined ? [] : [failure])))];
  return [
    {
      type: "NamespaceDeletionContentFailure",
      status: failures.length > 0 ? ("True" as const) : ("False" as const),
      reason: failures.length > 0 ? "ContentDeletionFailed" : "ContentDeleted",
      message:
        failures.length > 0
          ? `Failed to delete all resource types, ${failures.length} remaining: ${failures.join(", ")}`
          : "All content successfully deleted, may be waiting on finalization",
    },
    {
      type: "NamespaceContentRemaining",
      status: "True" as const,
      reason: "SomeResourcesRemain",
      message: `Some resources are remaining: ${list(kinds, "has")}`,
    },
    {
      type: "NamespaceFinalizersRemaining",
      status: finalizers.length > 0 ? ("True" as const) : ("False" as const),
      reason: finalizers.length > 0 ? "SomeFinalizersRemain" : "ContentHasNoFinalizers",
      message:
        finalizers.length > 0
          ? `Some content in the namespace has finalizers remaining: ${list(finalizers, "in")}`
          : "All content-preserving finalizers finished",
    },
  ];
}

function counted(names: readonly string[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort(([left], [right]) => (left < right ? -1 : 1));
}
