import type { Informer } from "@milo-quota/kubernetes/client/watch/informer.ts";
import type { ObjectPlace } from "@milo-quota/kubernetes/client/watch/object-place.ts";
import { type GrantOrigin, originId, originIn } from "../../core/policy/grant-origin.ts";
import type { ResourceGrant } from "../../core/resources/resource-grant.ts";

interface Made {
  readonly origin: GrantOrigin;
  readonly places: Map<string, ObjectPlace>;
}

/** The grants that policies made, by what they were made for; it is written on the grants themselves. */
export class GrantsByOrigin {
  readonly #made = new Map<string, Made>();
  readonly stop: () => void;

  /** Calls for every origin whose grants change, those there are by now included. */
  constructor(grants: Informer<ResourceGrant, ResourceGrant>, changed: (origin: GrantOrigin) => void) {
    const each = (grant: ResourceGrant, act: (origin: GrantOrigin) => void): void => {
      const origin = originIn(grant.metadata);
      if (origin === undefined) return;
      act(origin);
      changed(origin);
    };
    this.stop = grants.subscribe({
      added: (place, now) => each(now, (origin) => this.#put(origin, place)),
      changed: (place, before, now) => {
        each(before, (origin) => this.#drop(origin, place));
        each(now, (origin) => this.#put(origin, place));
      },
      removed: (place, before) => each(before, (origin) => this.#drop(origin, place)),
    });
  }

  of(origin: GrantOrigin): readonly ObjectPlace[] {
    return [...(this.#made.get(originId(origin))?.places.values() ?? [])];
  }

  /** Those that something is to be done for. */
  origins(isMeant: (origin: GrantOrigin) => boolean): readonly GrantOrigin[] {
    return [...this.#made.values()].map(({ origin }) => origin).filter(isMeant);
  }

  #put(origin: GrantOrigin, place: ObjectPlace): void {
    const made = this.#made.get(originId(origin)) ?? { origin, places: new Map<string, ObjectPlace>() };
    made.places.set(keyOf(place), place);
    this.#made.set(originId(origin), made);
  }

  #drop(origin: GrantOrigin, place: ObjectPlace): void {
    const made = this.#made.get(originId(origin));
    made?.places.delete(keyOf(place));
    if (made?.places.size === 0) this.#made.delete(originId(origin));
  }
}

function keyOf({ plane, namespace, name }: ObjectPlace): string {
  return `${plane}\n${namespace}\n${name}`;
}
