import {
  type ReconcileResult,
  reconciled,
  requeueAfter,
  type WorkQueue,
} from "@milo-quota/kubernetes/client/queue/work-queue.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { foregroundFinalizer, orphanFinalizer } from "@milo-quota/kubernetes/protocol/metadata/finalizer-rules.ts";
import { type OwnerReference, parseApiVersion } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { deleteObject } from "../registry/delete.ts";
import { withManagedFields } from "../registry/field-ownership.ts";
import type { ApiObject } from "../registry/kinds/api-object.ts";
import type { KindCatalog } from "../registry/kinds/kind-catalog.ts";
import type { ServedKind } from "../registry/kinds/served-kind.ts";
import { finalizersOf, withMetadata } from "../registry/metadata/metadata.ts";
import { storedResource } from "../registry/object-request.ts";
import type { Registry } from "../registry/registry.ts";
import { updateObject } from "../registry/update.ts";
import { keyText } from "../storage/memory/key-order.ts";
import type { ObjectKey } from "../storage/object-key.ts";
import type { Change } from "../storage/object-store.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import { controllerQueue } from "./controller-queue.ts";
import { Gone, ignoreGone } from "./gone.ts";
import { OwnerIndex, ownersOf } from "./owner-index.ts";
import { serverRequest, systemUser } from "./server-request.ts";

const user = systemUser("generic-garbage-collector");

/** Number of deleted owners whose UIDs are remembered. */
const goneMax = 10_000;

/** Delay before checking again an object whose owner is of an unknown kind, which may be served by then. */
const unknownRecheckMs = 30_000;

type OwnerState =
  | "here"
  /** Terminating with foreground deletion: waits for its dependents. */
  | "waiting"
  | "gone"
  /** Of a kind that is not served, or not visible here: the collector leaves the dependent alone. */
  | "unknown";

/** Deletes objects whose owners are gone, runs foreground deletion, and orphans dependents. */
export class GarbageCollector {
  readonly #registry: Registry;
  readonly #kinds: KindCatalog;
  readonly #index = new OwnerIndex();
  /**
   * UIDs of recently deleted owners. Their kind may be removed right after them, and then a lookup cannot tell that
   * they are gone.
   */
  readonly #gone = new Set<string>();
  readonly #queue: WorkQueue<ObjectKey>;
  readonly #stopWatch: () => void;

  constructor(registry: Registry, kinds: KindCatalog, report: (error: unknown) => void) {
    this.#registry = registry;
    this.#kinds = kinds;
    const { clock, random, store } = registry;
    const reconcile = (key: ObjectKey, signal: AbortSignal): Promise<ReconcileResult> => this.#reconcile(key, signal);
    this.#queue = controllerQueue({ idOf: keyText, clock, random, report, reconcile });
    for (const resource of store.resources()) {
      for (const stored of store.list({ resource })) if (mayNeedWork(stored)) this.#loadExisting(stored);
    }
    this.#stopWatch = store.watchAll((change) => this.#onChange(change));
  }

  stop(): void {
    this.#stopWatch();
    void this.#queue.stop();
  }

  #onChange(change: Change): void {
    if (change.type !== "deleted") {
      this.#indexObject(change);
      return;
    }
    const { key, object } = change.stored;
    for (const owner of ownersOf(change.stored)) this.#enqueueOwner(key, owner);
    this.#index.remove(key);
    const dependents = this.#index.dependentsOf(key.plane, object.metadata.uid ?? "");
    if (dependents.length > 0) this.#rememberGone(object.metadata.uid as string);
    for (const dependent of dependents) this.#queue.add(dependent);
  }

  #rememberGone(uid: string): void {
    this.#gone.add(uid);
    const [oldest] = this.#gone;
    if (this.#gone.size > goneMax && oldest !== undefined) this.#gone.delete(oldest);
  }

  #loadExisting(stored: StoredObject): void {
    const owners = ownersOf(stored);
    this.#index.put(stored.key, owners);
    if (owners.length > 0 || isAwaitingDependents(stored)) this.#queue.add(stored.key);
  }

  /** If all owners exist there is nothing to do: the deletion of an owner arrives as an event of its own. */
  #indexObject({ type, stored }: Change): void {
    const owners = ownersOf(stored);
    if (type === "modified" || owners.length > 0) this.#index.put(stored.key, owners);
    const isKept = owners.every((owner) => this.#stateOf(stored.key, owner) === "here");
    if (!isKept || isAwaitingDependents(stored)) this.#queue.add(stored.key);
  }

  /** An owner in foreground deletion may be waiting for this dependent. */
  #enqueueOwner(dependent: ObjectKey, reference: OwnerReference): void {
    const owner = this.#find(dependent, reference);
    if (typeof owner === "object" && isAwaitingDependents(owner)) this.#queue.add(owner.key);
  }

  async #reconcile(key: ObjectKey, signal: AbortSignal): Promise<ReconcileResult> {
    await this.#registry.store.writesSettled(key);
    const stored = this.#registry.store.get(key);
    const kind = this.#kindOf(key);
    if (stored === undefined || kind === undefined) return reconciled;
    const object = stored.object as ApiObject;
    const isGoing = object.metadata.deletionTimestamp !== undefined;
    if (isGoing && finalizersOf(object).includes(orphanFinalizer)) return this.#orphan(stored, kind, signal);
    if (isGoing && finalizersOf(object).includes(foregroundFinalizer))
      return this.#finishForeground(stored, kind, signal);
    return isGoing ? reconciled : this.#collect(stored, kind, signal);
  }

  async #collect(stored: StoredObject, kind: ServedKind, signal: AbortSignal): Promise<ReconcileResult> {
    const owners = ownersOf(stored);
    if (owners.length === 0) return reconciled;
    const states = owners.map((owner) => this.#stateOf(stored.key, owner));
    if (states.includes("unknown")) return requeueAfter(unknownRecheckMs);
    const lost = owners.filter((_, index) => states[index] !== "here");
    if (!states.includes("here")) await this.#delete(stored, kind, states.includes("waiting"), signal);
    else if (lost.length > 0) await this.#removeOwner(stored.key, kind, lost, signal);
    return reconciled;
  }

  async #delete(stored: StoredObject, kind: ServedKind, isWaitedFor: boolean, signal: AbortSignal): Promise<void> {
    const { key, object } = stored;
    const uid = object.metadata.uid as string;
    const hasDependents = this.#index.dependentsOf(key.plane, uid).length > 0;
    // Precondition on the version that was judged: after any later change, such as a removed owner, the object is
    // judged again.
    const version =
      object.metadata.resourceVersion === undefined ? {} : { resourceVersion: object.metadata.resourceVersion };
    const propagationPolicy = isWaitedFor && hasDependents ? { propagationPolicy: "Foreground" } : {};
    const request = serverRequest(key, kind, user, signal);
    await ignoring(
      ["NotFound", "Conflict"],
      deleteObject(this.#registry, request, key.name, { uid, ...version, ...propagationPolicy }),
    );
  }

  /** Dependents with blockOwnerDeletion are waited for; the others are deleted without waiting. */
  async #finishForeground(stored: StoredObject, kind: ServedKind, signal: AbortSignal): Promise<ReconcileResult> {
    const { key, object } = stored;
    const uid = object.metadata.uid as string;
    const dependents = this.#index.dependentsOf(key.plane, uid);
    for (const dependent of dependents) this.#queue.add(dependent);
    const blocking = dependents.filter((dependent) => this.#blocks(dependent, uid));
    if (blocking.length === 0) await this.#dropFinalizer(key, kind, foregroundFinalizer, signal);
    return reconciled;
  }

  #blocks(dependent: ObjectKey, ownerUid: string): boolean {
    const stored = this.#registry.store.get(dependent);
    if (stored === undefined) return false;
    return ownersOf(stored).some(({ uid, blockOwnerDeletion }) => uid === ownerUid && blockOwnerDeletion === true);
  }

  async #orphan(stored: StoredObject, kind: ServedKind, signal: AbortSignal): Promise<ReconcileResult> {
    const { key, object } = stored;
    const uid = object.metadata.uid as string;
    for (const dependent of this.#index.dependentsOf(key.plane, uid)) {
      const dependentKind = this.#kindOf(dependent);
      if (dependentKind === undefined) continue;
      await this.#removeOwner(dependent, dependentKind, [{ uid }], signal);
    }
    await this.#dropFinalizer(key, kind, orphanFinalizer, signal);
    return reconciled;
  }

  #removeOwner(
    key: ObjectKey,
    kind: ServedKind,
    lost: readonly Pick<OwnerReference, "uid">[],
    signal: AbortSignal,
  ): Promise<void> {
    return this.#change(key, kind, signal, (current) => {
      const kept = (current.metadata.ownerReferences ?? []).filter(
        ({ uid }) => !lost.some((owner) => owner.uid === uid),
      );
      return withMetadata(current, { ownerReferences: kept.length === 0 ? undefined : kept });
    });
  }

  #dropFinalizer(key: ObjectKey, kind: ServedKind, finalizer: string, signal: AbortSignal): Promise<void> {
    return this.#change(key, kind, signal, (current) => {
      const kept = finalizersOf(current).filter((name) => name !== finalizer);
      return withMetadata(current, { finalizers: kept.length === 0 ? undefined : kept });
    });
  }

  async #change(
    key: ObjectKey,
    kind: ServedKind,
    signal: AbortSignal,
    change: (current: ApiObject) => ApiObject,
  ): Promise<void> {
    const request = serverRequest(key, kind, user, signal);
    const update = updateObject(this.#registry, request, key.name, (current) => {
      if (current === undefined) throw new Gone();
      return withManagedFields(current, change(current), request, this.#registry.clock.now());
    });
    await update.catch(ignoreGone);
  }

  #stateOf(dependent: ObjectKey, reference: OwnerReference): OwnerState {
    const owner = this.#find(dependent, reference);
    if (typeof owner === "string") return owner;
    return isAwaitingDependents(owner) && finalizersOf(owner.object as ApiObject).includes(foregroundFinalizer)
      ? "waiting"
      : "here";
  }

  /** A namespaced owner is looked up in the namespace of its dependent; ownership across namespaces is not allowed. */
  #find(dependent: ObjectKey, { apiVersion, kind, name, uid }: OwnerReference): StoredObject | "gone" | "unknown" {
    const served = this.#kinds.inPlane(dependent.plane).ofKind(parseApiVersion(apiVersion).group, kind);
    if (this.#gone.has(uid)) return "gone";
    if (served === undefined) return "unknown";
    if (served.scope === "Namespaced" && dependent.namespace === "") return "unknown";
    const namespace = served.scope === "Namespaced" ? dependent.namespace : "";
    const resource = storedResource(served);
    const owner = this.#registry.store.get({ plane: dependent.plane, resource, namespace, name });
    return owner?.object.metadata.uid === uid ? owner : "gone";
  }

  #kindOf({ plane, resource }: ObjectKey): ServedKind | undefined {
    return this.#kinds.inPlane(plane).stored(resource);
  }
}

/** Searches the serialized object: most objects have no owners and are not terminating, and need no parsing. */
function mayNeedWork({ text }: StoredObject): boolean {
  return text.includes('"ownerReferences"') || text.includes('"deletionTimestamp"');
}

function isAwaitingDependents({ object }: StoredObject): boolean {
  const { deletionTimestamp, finalizers = [] } = object.metadata;
  if (deletionTimestamp === undefined) return false;
  return finalizers.includes(foregroundFinalizer) || finalizers.includes(orphanFinalizer);
}

async function ignoring(reasons: readonly string[], work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof StatusError) || !reasons.includes(error.status.reason ?? "")) throw error;
  }
}
