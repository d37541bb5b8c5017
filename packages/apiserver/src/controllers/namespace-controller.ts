import {
  type ReconcileResult,
  reconciled,
  requeueAfter,
  type WorkQueue,
} from "@milo-quota/kubernetes/client/queue/work-queue.ts";
import type { Condition } from "@milo-quota/kubernetes/protocol/condition.ts";
import { setCondition } from "@milo-quota/kubernetes/protocol/condition.ts";
import { formatTime } from "@milo-quota/kubernetes/protocol/time.ts";
import { deleteObject } from "../registry/delete.ts";
import { withManagedFields } from "../registry/field-ownership.ts";
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
import { controllerQueue } from "./controller-queue.ts";
import { Gone, ignoreGone } from "./gone.ts";
import { serverRequest, systemUser } from "./server-request.ts";

const user = systemUser("namespace-controller");
const finalizer = "kubernetes";

/** Delay before checking again whether the objects of a terminating namespace are gone. */
const recheckMs = 100;

/** Deletes the objects of terminating namespaces, and removes the namespace's finalizer when none is left. */
export class NamespaceController {
  readonly #registry: Registry;
  readonly #kinds: KindCatalog;
  readonly #queue: WorkQueue<ObjectKey>;
  readonly #stopWatch: () => void;

  constructor(registry: Registry, kinds: KindCatalog, report: (error: unknown) => void) {
    this.#registry = registry;
    this.#kinds = kinds;
    const { clock, random, store } = registry;
    const reconcile = (key: ObjectKey, signal: AbortSignal): Promise<ReconcileResult> => this.#reconcile(key, signal);
    this.#queue = controllerQueue({ idOf: keyText, clock, random, report, reconcile });
    const from = store.revision;
    for (const stored of store.list({ resource: namespaces })) this.#onChange(stored);
    this.#stopWatch = store.watch({ resource: namespaces }, from, ({ type, stored }) => {
      if (type !== "deleted") this.#onChange(stored);
    });
  }

  stop(): void {
    this.#stopWatch();
    void this.#queue.stop();
  }

  #onChange({ key, object }: StoredObject): void {
    if (object.metadata.deletionTimestamp !== undefined) this.#queue.add(key);
  }

  async #reconcile(key: ObjectKey, signal: AbortSignal): Promise<ReconcileResult> {
    const uid = this.#terminatingUid(key);
    if (uid === undefined) return reconciled;
    const ending = { key, uid };
    // Writes that were in flight when the namespace began to terminate are stored after this; later ones are rejected.
    await this.#registry.store.settled();
    const left: Remaining[] = [];
    for (const kind of this.#kinds.inPlane(key.plane).resources) {
      if (kind.scope !== "Namespaced") continue;
      // Another client may have finalized it meanwhile: objects in a new namespace of the same name must not be
      // deleted.
      if (this.#terminatingUid(key) !== uid) return reconciled;
      left.push(...(await this.#deleteAll(key, kind, signal)));
    }
    if (left.length > 0) {
      await this.#writeConditions(ending, left, signal);
      const failed = left.find(({ failure }) => failure !== undefined);
      // Deletions that were rejected are retried with backoff.
      if (failed !== undefined)
        throw new Error(`objects in namespace ${key.name} cannot be deleted: ${failed.failure}`);
      return requeueAfter(recheckMs);
    }
    await this.#removeFinalizer(ending, signal);
    return reconciled;
  }

  /** The UID of the namespace if it is terminating and has our finalizer; a new namespace of the same name does not. */
  #terminatingUid(key: ObjectKey): string | undefined {
    const namespace = this.#registry.store.get(key)?.object as ApiObject | undefined;
    if (namespace?.metadata.deletionTimestamp === undefined || !holds(namespace)) return undefined;
    return namespace.metadata.uid;
  }

  /** Requests deletion of every object; returns those that finalizers keep. */
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

  async #writeConditions(ending: TerminatingNamespace, left: readonly Remaining[], signal: AbortSignal): Promise<void> {
    const now = formatTime(this.#registry.clock.now());
    await this.#change(ending, "status", signal, (current) => {
      const status = (current["status"] ?? {}) as { readonly conditions?: readonly Condition[] };
      const conditions = conditionsFor(left).reduce(
        (all, condition) => setCondition(all, condition, now),
        status.conditions ?? [],
      );
      return { ...current, status: { ...status, phase: "Terminating", conditions } } as unknown as ApiObject;
    });
  }

  #removeFinalizer(ending: TerminatingNamespace, signal: AbortSignal): Promise<void> {
    return this.#change(ending, "finalize", signal, (current) => {
      const spec = (current["spec"] ?? {}) as { readonly finalizers?: readonly string[] };
      const finalizers = (spec.finalizers ?? []).filter((name) => name !== finalizer);
      return { ...current, spec: { ...spec, finalizers } } as unknown as ApiObject;
    });
  }

  async #change(
    { key, uid }: TerminatingNamespace,
    subresource: "status" | "finalize",
    signal: AbortSignal,
    change: (current: ApiObject) => ApiObject,
  ): Promise<void> {
    const kind = this.#kinds.inPlane(key.plane).find("", "v1", namespaces);
    if (kind === undefined) return;
    const request = { ...serverRequest(key, kind, user, signal), subresource };
    await updateObject(this.#registry, request, key.name, (current) => {
      if (current?.metadata.uid !== uid) throw new Gone();
      return withManagedFields(current, change(current), request, this.#registry.clock.now());
    }).catch(ignoreGone);
  }
}

/** A terminating namespace, identified by UID because a new one may have its name. */
interface TerminatingNamespace {
  readonly key: ObjectKey;
  readonly uid: string;
}

interface Remaining {
  readonly kind: ServedKind;
  readonly finalizers: readonly string[];
  /** Why it was not deleted. */
  readonly failure?: string;
}

/** Admission may reject the deletion of one object; the others are still deleted. Undefined on success. */
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
