import {
  type ReconcileResult,
  reconciled,
  requeueAfter,
  type WorkQueue,
} from "@milo-quota/kubernetes/client/queue/work-queue.ts";
import { type JsonValue, jsonEquals } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { formatTime } from "@milo-quota/kubernetes/protocol/time.ts";
import { definitionStatus, type TakenNames } from "../registry/crd/definitions/crd-conditions.ts";
import { readDefinition } from "../registry/crd/definitions/definition.ts";
import { cleanupFinalizer, withTermination } from "../registry/crd/definitions/delete-definition.ts";
import { deleteObject } from "../registry/delete.ts";
import { withManagedFields } from "../registry/field-ownership.ts";
import type { ApiObject } from "../registry/kinds/api-object.ts";
import type { KindCatalog } from "../registry/kinds/kind-catalog.ts";
import type { ServedKind } from "../registry/kinds/served-kind.ts";
import { finalizersOf, withMetadata } from "../registry/metadata/metadata.ts";
import type { Registry } from "../registry/registry.ts";
import { updateObject } from "../registry/update.ts";
import { keyText } from "../storage/memory/key-order.ts";
import type { ObjectKey } from "../storage/object-key.ts";
import { controllerQueue } from "./controller-queue.ts";
import { Gone, ignoreGone } from "./gone.ts";
import { serverRequest, systemUser } from "./server-request.ts";

const definitions = "customresourcedefinitions.apiextensions.k8s.io";
const group = "apiextensions.k8s.io";
const user = systemUser("customresourcedefinition-controller");

/** Kubernetes uses this field manager too: there the API server itself runs this controller. */
const manager = "kube-apiserver";

const inProgress = { reason: "InstanceDeletionInProgress", message: "CustomResource deletion is in progress" };

/** Delay before checking again whether the objects of a terminating definition are gone. */
const recheckMs = 100;

/**
 * Accepts the names of CustomResourceDefinitions, establishes them, and deletes their objects before they are removed.
 */
export class CrdController {
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
    for (const { key } of store.list({ resource: definitions })) this.#queue.add(key);
    this.#stopWatch = store.watch({ resource: definitions }, from, ({ type, stored }) => {
      if (type === "deleted") this.#enqueueAll(stored.key.plane);
      else this.#queue.add(stored.key);
    });
  }

  stop(): void {
    this.#stopWatch();
    void this.#queue.stop();
  }

  /**
   * Another definition may be waiting for names that this one released, in this plane or in planes that inherit its
   * definitions.
   */
  #enqueueAll(plane: string): void {
    for (const { key } of this.#registry.store.list({ resource: definitions })) {
      if (key.plane === plane || this.#inherits(key.plane, plane)) this.#queue.add(key);
    }
  }

  #inherits(plane: string, followed: string): boolean {
    return plane !== followed && this.#registry.definitionsFrom?.(plane) === followed;
  }

  async #reconcile(key: ObjectKey, signal: AbortSignal): Promise<ReconcileResult> {
    const stored = this.#registry.store.get(key);
    if (stored === undefined) return reconciled;
    const crd = stored.object as ApiObject;
    if (crd.metadata.deletionTimestamp !== undefined) return this.#finalize(key, crd, signal);
    await this.#change(key, "status", signal, (current) => this.#withStatus(key, current));
    return reconciled;
  }

  #withStatus(key: ObjectKey, crd: ApiObject): ApiObject {
    const now = formatTime(this.#registry.clock.now());
    const status = definitionStatus(crd, this.#otherDefinitions(key), this.#builtinNames(crd), now);
    return { ...crd, status } as unknown as ApiObject;
  }

  /** All other definitions that apply in the plane of this one, except an inherited definition of the same name. */
  *#otherDefinitions({ plane, name }: ObjectKey): Generator<ApiObject> {
    const { store, definitionsFrom } = this.#registry;
    for (const { object } of store.list({ plane, resource: definitions })) yield object as ApiObject;
    const followed = definitionsFrom?.(plane);
    if (followed === undefined || followed === plane) return;
    for (const { key, object } of store.list({ plane: followed, resource: definitions })) {
      if (key.name !== name) yield object as ApiObject;
    }
  }

  #builtinNames(crd: ApiObject): TakenNames {
    const { group: own } = readDefinition(crd);
    const builtin = this.#kinds.builtin.filter((kind) => kind.group === own);
    return {
      resources: new Set(builtin.flatMap(({ plural, singular, shortNames }) => [plural, singular, ...shortNames])),
      kinds: new Set(builtin.flatMap(({ kind, listKind }) => [kind, listKind])),
    };
  }

  /** Deletes all objects of a terminating definition, and removes its finalizer when none is left. */
  async #finalize(key: ObjectKey, crd: ApiObject, signal: AbortSignal): Promise<ReconcileResult> {
    if (!finalizersOf(crd).includes(cleanupFinalizer)) return reconciled;
    const now = formatTime(this.#registry.clock.now());
    await this.#change(key, "status", signal, (current) => withTermination(current, inProgress, now));
    // Writes that were in flight when the definition began to terminate are stored after this; later ones are rejected.
    await this.#registry.store.settled();
    let left = 0;
    for (const plane of this.#planesWithObjects(key)) {
      const kind = this.#kinds.inPlane(plane).stored(key.name);
      left += kind === undefined ? 0 : await this.#deleteAll(plane, kind, signal);
    }
    if (left > 0) return requeueAfter(recheckMs);
    await this.#change(key, "", signal, (current) => {
      const finalizers = finalizersOf(current).filter((name) => name !== cleanupFinalizer);
      return withMetadata(current, { finalizers: finalizers.length === 0 ? undefined : finalizers });
    });
    return reconciled;
  }

  /**
   * The planes with objects of a definition: its own, and those that inherit it without a definition of the same name.
   */
  #planesWithObjects({ plane, name }: ObjectKey): readonly string[] {
    const { store } = this.#registry;
    const isOwn = (other: string): boolean =>
      store.get({ plane: other, resource: definitions, namespace: "", name }) !== undefined;
    const others = new Set<string>();
    // Without inheriting planes this skips the scan, which may cover a million objects.
    if (this.#registry.definitionsFrom !== undefined) {
      for (const { key } of store.list({ resource: name })) others.add(key.plane);
    }
    return [plane, ...[...others].filter((other) => this.#inherits(other, plane) && !isOwn(other))];
  }

  async #deleteAll(plane: string, kind: ServedKind, signal: AbortSignal): Promise<number> {
    const resource = `${kind.plural}.${kind.group}`;
    const { store } = this.#registry;
    for (const { key, object } of [...store.list({ plane, resource })]) {
      if (object.metadata.deletionTimestamp !== undefined) continue;
      await deleteObject(this.#registry, serverRequest(key, kind, user, signal), key.name, {}).catch(ignoreGone);
    }
    return store.count({ plane, resource });
  }

  async #change(
    key: ObjectKey,
    subresource: "" | "status",
    signal: AbortSignal,
    change: (current: ApiObject) => ApiObject,
  ): Promise<void> {
    const kind = this.#kinds.inPlane(key.plane).find(group, "v1", "customresourcedefinitions");
    const current = this.#registry.store.get(key)?.object as ApiObject | undefined;
    if (kind === undefined || current === undefined) return;
    if (jsonEquals(change(current) as JsonValue, current as JsonValue)) return;
    const request = { ...serverRequest(key, kind, user, signal), manager, subresource };
    await updateObject(this.#registry, request, key.name, (latest) => {
      if (latest === undefined) throw new Gone();
      return withManagedFields(latest, change(latest), request, this.#registry.clock.now());
    }).catch(ignoreGone);
  }
}
