import type { RestMapper } from "@milo-quota/kubernetes/client/discovery/rest-mapper.ts";
import type { PlaneObjectKey } from "@milo-quota/kubernetes/client/watch/plane-object-key.ts";
import { type ConsumerRef, type GroupKind, groupKindText } from "../../core/resources/fields/consumer-ref.ts";
import type { ControlPlanes } from "../../views/control-planes.ts";
import type { RegistrationIndex } from "../../views/registration-index.ts";
import type { Running, Runtime } from "../../views/runtime.ts";
import { KindInformers } from "../kind-informers.ts";
import { factsOf } from "../ownership/objects/object-reader.ts";

export interface ConsumerUidsDeps {
  readonly runtime: Pick<Runtime, "planes" | "clock" | "random" | "report">;
  readonly restMapper: Pick<RestMapper, "resourceFor" | "invalidate">;
  readonly registrations: Pick<RegistrationIndex, "byResourceType" | "onChange" | "resourceTypes">;
}

/** An object that is a consumer, or was one. */
export interface ConsumerAddress {
  readonly kind: GroupKind;
  readonly key: PlaneObjectKey;
}

export interface ConsumerObserver {
  /** The object was deleted, or created, or was replaced by another one of the same name. */
  onChange(address: ConsumerAddress): void;
  /** All objects of a kind are in the cache. */
  onSynced(kind: GroupKind): void;
}

/** Caches the UIDs of all objects whose kind is the consumerType of a registration. Such a kind is watched until the stop. */
export class ConsumerUids implements Running {
  readonly #deps: ConsumerUidsDeps;
  readonly #kinds = new Map<string, GroupKind>();
  readonly #informers: KindInformers<string>;
  readonly #observers = new Set<ConsumerObserver>();
  readonly #unsubscribe: () => void;

  constructor(deps: ConsumerUidsDeps) {
    const { runtime, restMapper, registrations } = deps;
    this.#deps = deps;
    this.#informers = new KindInformers<string>({
      runtime,
      restMapper,
      keep: (object) => factsOf(object).uid,
      handler: {
        onAdd: (kind, key) => this.#notify({ kind, key }),
        onUpdate: (kind, key, before, now) => void (before === now || this.#notify({ kind, key })),
        onDelete: (kind, key) => this.#notify({ kind, key }),
        onSynced: (kind) => {
          for (const observer of this.#observers) observer.onSynced(kind);
        },
      },
      owner: "consumers of kind",
    });
    this.#unsubscribe = registrations.onChange((resourceType) => this.#addKinds([resourceType]));
    this.#addKinds(registrations.resourceTypes());
  }

  /** Undefined if the consumer does not exist, or is not cached. Hot: called for decisions. */
  uidOf(plane: string, consumer: ConsumerRef): string | undefined {
    return this.#informers.get(consumer, consumerKeyIn(plane, consumer, this.#deps.runtime.planes));
  }

  /** Whether all objects of a kind were cached at least once. */
  hasSynced(kind: GroupKind): boolean {
    return this.#informers.phase(kind) !== "starting";
  }

  observe(observer: ConsumerObserver): () => void {
    this.#observers.add(observer);
    return () => this.#observers.delete(observer);
  }

  async stop(): Promise<void> {
    this.#unsubscribe();
    await this.#informers.stop();
  }

  #addKinds(resourceTypes: Iterable<string>): void {
    const before = this.#kinds.size;
    for (const resourceType of resourceTypes) {
      for (const { consumerType } of this.#deps.registrations.byResourceType(resourceType)) {
        this.#kinds.set(groupKindText(consumerType), consumerType);
      }
    }
    if (this.#kinds.size > before) this.#informers.setKinds([...this.#kinds.values()]);
  }

  #notify(address: ConsumerAddress): void {
    for (const observer of this.#observers) observer.onChange(address);
  }
}

/** Where the object of a consumer is, whose quota is in `plane`. Tenants are objects of the root. */
export function consumerKeyIn(
  plane: string,
  consumer: ConsumerRef,
  planes: Pick<ControlPlanes, "root" | "planeOf">,
): PlaneObjectKey {
  const isTenant = planes.planeOf(consumer) !== undefined;
  return { plane: isTenant ? planes.root : plane, namespace: consumer.namespace, name: consumer.name };
}
