import type { Informer } from "@milo-quota/kubernetes/client/watch/informer.ts";
import type { ObjectPlace } from "@milo-quota/kubernetes/client/watch/object-place.ts";
import { type ConsumerRef, consumerKey } from "../../core/resources/fields/consumer-ref.ts";
import type { ResourceGrant } from "../../core/resources/resource-grant.ts";
import { grantActivity } from "../../core/resources/rules/grant-activity.ts";
import type { RegistrationView } from "../../core/resources/rules/registration-rules.ts";
import type { BucketKey } from "../writer/pages/bucket-views.ts";

/** The grants of each consumer. They count in the plane they are made in. */
export class GrantsOfConsumers {
  readonly #grants = new Map<string, Map<string, ResourceGrant>>();
  readonly stop: () => void;

  constructor(grants: Informer<ResourceGrant, ResourceGrant>) {
    this.stop = grants.subscribe({
      added: (place, now) => this.#put(place, now),
      changed: (place, before, now) => {
        this.#drop(place, before);
        this.#put(place, now);
      },
      removed: (place, before) => this.#drop(place, before),
    });
  }

  /** Those that count now. */
  active({ plane, consumer }: BucketKey, view: RegistrationView, nowMs: number): readonly ResourceGrant[] {
    const own = [...(this.#grants.get(ownerId(plane, consumer))?.values() ?? [])];
    return own.filter((grant) => grantActivity(grant, view, nowMs).state === "active");
  }

  #put(place: ObjectPlace, grant: ResourceGrant): void {
    const id = ownerId(place.plane, grant.consumer);
    const own = this.#grants.get(id) ?? new Map<string, ResourceGrant>();
    own.set(placeId(place), grant);
    this.#grants.set(id, own);
  }

  #drop(place: ObjectPlace, grant: ResourceGrant): void {
    const id = ownerId(place.plane, grant.consumer);
    const own = this.#grants.get(id);
    own?.delete(placeId(place));
    if (own?.size === 0) this.#grants.delete(id);
  }
}

function ownerId(plane: string, consumer: ConsumerRef): string {
  return `${plane}\n${consumerKey(consumer)}`;
}

function placeId({ plane, namespace, name }: ObjectPlace): string {
  return `${plane}\n${namespace}\n${name}`;
}
