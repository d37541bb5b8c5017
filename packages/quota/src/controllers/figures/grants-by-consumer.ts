import type { Informer } from "@milo-quota/kubernetes/client/watch/informer.ts";
import type { PlaneObjectKey } from "@milo-quota/kubernetes/client/watch/plane-object-key.ts";
import type { ResourceGrant } from "../../core/resources/resource-grant.ts";
import { grantActivity } from "../../core/resources/rules/grant-activity.ts";
import type { RegistrationView } from "../../core/resources/rules/registration-rules.ts";
import { objectId } from "../object-id.ts";
import type { BucketKey } from "../writer/buckets/figures-observer.ts";
import { consumerId } from "../writer/consumer-state.ts";

/** The grants of each consumer by control plane: a grant counts in its own control plane only. */
export class GrantsByConsumer {
  readonly #grants = new Map<string, Map<string, ResourceGrant>>();
  readonly stop: () => void;

  constructor(grants: Informer<ResourceGrant, ResourceGrant>) {
    this.stop = grants.subscribe({
      onAdd: (key, now) => this.#put(key, now),
      onUpdate: (key, before, now) => {
        this.#drop(key, before);
        this.#put(key, now);
      },
      onDelete: (key, before) => this.#drop(key, before),
    });
  }

  /** The grants that count now. */
  active({ plane, consumer }: BucketKey, view: RegistrationView, nowMs: number): readonly ResourceGrant[] {
    const own = [...(this.#grants.get(consumerId({ plane, consumer }))?.values() ?? [])];
    return own.filter((grant) => grantActivity(grant, view, nowMs).state === "active");
  }

  #put(key: PlaneObjectKey, grant: ResourceGrant): void {
    const id = consumerId({ plane: key.plane, consumer: grant.consumer });
    const own = this.#grants.get(id) ?? new Map<string, ResourceGrant>();
    own.set(objectId(key), grant);
    this.#grants.set(id, own);
  }

  #drop(key: PlaneObjectKey, grant: ResourceGrant): void {
    const id = consumerId({ plane: key.plane, consumer: grant.consumer });
    const own = this.#grants.get(id);
    own?.delete(objectId(key));
    if (own?.size === 0) this.#grants.delete(id);
  }
}
