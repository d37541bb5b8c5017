import { again, type Outcome, settled, type WorkQueue } from "@milo-quota/kubernetes/client/queue/work-queue.ts";
import { type JsonValue, jsonEquals } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { timeText } from "@milo-quota/kubernetes/protocol/time.ts";
import { definitionStatus, type TakenNames } from "../registry/crd/definitions/crd-conditions.ts";
import { readDefinition } from "../registry/crd/definitions/definition.ts";
import { cleanupFinalizer, withTermination } from "../registry/crd/definitions/delete-definition.ts";
import { deleteObject } from "../registry/delete.ts";
import { ownedAfterUpdate } from "../registry/field-ownership.ts";
import type { ApiObject } from "../registry/kinds/api-object.ts";
import type { KindCatalog } from "../registry/kinds/kind-catalog.ts";
import type { ServedKind } from "../registry/kinds/served-kind.ts";
import { finalizersOf, withMetadata } from "../registry/metadata/metadata.ts";
import type { Registry } from "../registry/registry.ts";
import { updateObject } from "../registry/update.ts";
import { keyText } from "../storage/memory/key-order.ts";
import type { ObjectKey } from "../storage/object-key.ts";
import { Gone, ignoreGone } from "./gone.ts";
import { housekeepingQueue } from "./housekeeping-queue.ts";
import { serverRequest, systemUser } from "./server-request.ts";

const definitions = "customresourcedefinitions.apiextensions.k8s.io";
const group = "apiextensions.k8s.io";
const user = systemUser("customresourcedefinition-controller");

/** In Kubernetes, too, the API server itself does this. */
const manager = "kube-apiserver";

const inProgress = { reason: "InstanceDeletionInProgress", message: "CustomResource deletion is in progress" };

/** How soon to look again at a definition whose objects are on their way out. */
const againMs = 100;

/** Accepts the names of definitions, has them served, and empties them before they go. */
export class DefinitionKeeper {
  readonly #registry: Registry;
  readonly #kinds: KindCatalog;
  readonly #queue: WorkQueue<ObjectKey>;
  readonly #stopWatch: () => void;

  constructor(registry: Registry, kinds: KindCatalog, report: (error: unknown) => void) {
    this.#registry = registry;
    this.#kinds = kinds;
    const { clock, random, store } = registry;
    const work = (key: ObjectKey, signal: AbortSignal): Promise<Outcome> => this.#keep(key, signal);
    this.#queue = housekeepingQueue({ idOf: keyText, clock, random, report, work });
    const from = store.revision;
    for (const { key } of store.list({ resource: definitions })) this.#queue.add(key);
    this.#stopWatch = store.watch({ resource: definitions }, from, ({ type, stored }) => {
      if (type === "deleted") this.#lookAtAll(stored.key.plane);
      else this.#queue.add(stored.key);
    });
  }

  stop(): void {
    this.#stopWatch();
    void this.#queue.stop();
  }

  /** Names that one definition lets go of may be what another waits for, there or where it held as well. */
  #lookAtAll(plane: string): void {
    for (const { key } of this.#registry.store.list({ resource: definitions })) {
      if (key.plane === plane || this.#follows(key.plane, plane)) this.#queue.add(key);
    }
  }

  #follows(plane: string, followed: string): boolean {
    return plane !== followed && this.#registry.definitionsFrom?.(plane) === followed;
  }

  async #keep(key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
    const stored = this.#registry.store.get(key);
    if (stored === undefined) return settled;
    const crd = stored.object as ApiObject;
    if (crd.metadata.deletionTimestamp !== undefined) return this.#empty(key, crd, signal);
    await this.#change(key, "status", signal, (current) => this.#withStatus(key, current));
    return settled;
  }

  #withStatus(key: ObjectKey, crd: ApiObject): ApiObject {
    const now = timeText(this.#registry.clock.now());
    const status = definitionStatus(crd, this.#holdingBeside(key), this.#builtinNames(crd), now);
    return { ...crd, status } as unknown as ApiObject;
  }

  /** All definitions that hold in the plane of this one, but for another of its name that it stands in front of. */
  *#holdingBeside({ plane, name }: ObjectKey): Generator<ApiObject> {
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

  /** Deletes all objects of a definition that is being deleted; lets it go when none is left. */
  async #empty(key: ObjectKey, crd: ApiObject, signal: AbortSignal): Promise<Outcome> {
    if (!finalizersOf(crd).includes(cleanupFinalizer)) return settled;
    const now = timeText(this.#registry.clock.now());
    await this.#change(key, "status", signal, (current) => withTermination(current, inProgress, now));
    // Objects that were on their way when the definition began to end are there after this; no others come in.
    await this.#registry.store.settled();
    let left = 0;
    for (const plane of this.#planesHeldIn(key)) {
      const kind = this.#kinds.inPlane(plane).stored(key.name);
      left += kind === undefined ? 0 : await this.#deleteAll(plane, kind, signal);
    }
    if (left > 0) return again(againMs);
    await this.#change(key, "", signal, (current) => {
      const finalizers = finalizersOf(current).filter((name) => name !== cleanupFinalizer);
      return withMetadata(current, { finalizers: finalizers.length === 0 ? undefined : finalizers });
    });
    return settled;
  }

  /** The planes with objects of a definition: its own, and those where it holds for want of another of its name. */
  #planesHeldIn({ plane, name }: ObjectKey): readonly string[] {
    const { store } = this.#registry;
    const isOwn = (other: string): boolean =>
      store.get({ plane: other, resource: definitions, namespace: "", name }) !== undefined;
    const others = new Set<string>();
    // Without planes that follow it nothing is looked through: there may be a million objects.
    if (this.#registry.definitionsFrom !== undefined) {
      for (const { key } of store.list({ resource: name })) others.add(key.plane);
    }
    return [plane, ...[...others].filter((other) => this.#follows(other, plane) && !isOwn(other))];
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
      return ownedAfterUpdate(latest, change(latest), request, this.#registry.clock.now());
    }).catch(ignoreGone);
  }
}
