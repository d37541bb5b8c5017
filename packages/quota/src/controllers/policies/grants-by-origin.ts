import type { Informer } from "@milo-quota/kubernetes/client/watch/informer.ts";
import type { PlaneObjectKey } from "@milo-quota/kubernetes/client/watch/plane-object-key.ts";
import { type GrantOrigin, originId, originIn } from "../../core/policy/grant-origin.ts";
import type { ResourceGrant } from "../../core/resources/resource-grant.ts";
import { objectId } from "../object-id.ts";

interface GrantsOfOrigin {
  readonly origin: GrantOrigin;
  readonly keys: Map<string, PlaneObjectKey>;
}

/** Indexes the grants that policies created by their origin, which is in their annotations. */
export class GrantsByOrigin {
  readonly #grants = new Map<string, GrantsOfOrigin>();
  readonly stop: () => void;

  /** Calls `onChange` for every origin whose grants change, and for those already in the cache. */
  constructor(grants: Informer<ResourceGrant, ResourceGrant>, onChange: (origin: GrantOrigin) => void) {
    const update = (grant: ResourceGrant, change: (origin: GrantOrigin) => void): void => {
      const origin = originIn(grant.metadata);
      if (origin === undefined) return;
      change(origin);
      onChange(origin);
    };
    this.stop = grants.subscribe({
      onAdd: (key, now) => update(now, (origin) => this.#put(origin, key)),
      onUpdate: (key, before, now) => {
        update(before, (origin) => this.#drop(origin, key));
        update(now, (origin) => this.#put(origin, key));
      },
      onDelete: (key, before) => update(before, (origin) => this.#drop(origin, key)),
    });
  }

  of(origin: GrantOrigin): readonly PlaneObjectKey[] {
    return [...(this.#grants.get(originId(origin))?.keys.values() ?? [])];
  }

  origins(isAffected: (origin: GrantOrigin) => boolean): readonly GrantOrigin[] {
    return [...this.#grants.values()].map(({ origin }) => origin).filter(isAffected);
  }

  #put(origin: GrantOrigin, key: PlaneObjectKey): void {
    const own = this.#grants.get(originId(origin)) ?? { origin, keys: new Map<string, PlaneObjectKey>() };
    own.keys.set(objectId(key), key);
    this.#grants.set(originId(origin), own);
  }

  #drop(origin: GrantOrigin, key: PlaneObjectKey): void {
    const own = this.#grants.get(originId(origin));
    own?.keys.delete(objectId(key));
    if (own?.keys.size === 0) this.#grants.delete(originId(origin));
  }
}
