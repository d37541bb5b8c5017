import { PlanePolicy } from "./plane-policy.ts";
import type { RbacObjects } from "./rbac-objects.ts";

/** The planes that were used least recently are evicted, and read again when needed. */
const planesMax = 1_000;

interface CachedPlane {
  readonly policy: PlanePolicy;
  /** The revision of the list that the plane was read from: it includes all changes up to here. */
  readonly readAt: number;
}

/** The policies of the planes in use, kept current by one watch over all of them. */
export class PolicyIndex {
  readonly #objects: RbacObjects;
  readonly #planes = new Map<string, CachedPlane>();
  readonly #planesMax: number;
  readonly #stop: () => void;

  constructor(objects: RbacObjects, limits: { readonly planesMax?: number } = {}) {
    this.#objects = objects;
    this.#planesMax = limits.planesMax ?? planesMax;
    this.#stop = objects.watch((changed) => {
      const plane = this.#planes.get(changed.plane);
      if (plane !== undefined && changed.revision > plane.readAt) plane.policy.apply(changed);
    });
  }

  of(plane: string): PlanePolicy {
    const open = this.#planes.get(plane) ?? this.#read(plane);
    // Move to the end: the map is in order of use.
    this.#planes.delete(plane);
    this.#planes.set(plane, open);
    return open.policy;
  }

  stop(): void {
    this.#stop();
    this.#planes.clear();
  }

  #read(plane: string): CachedPlane {
    const [longestUnused] = this.#planes.keys();
    if (longestUnused !== undefined && this.#planes.size >= this.#planesMax) this.#planes.delete(longestUnused);
    const policy = new PlanePolicy();
    const readAt = this.#objects.revision;
    for (const object of this.#objects.list(plane)) policy.apply(object);
    return { policy, readAt };
  }
}
