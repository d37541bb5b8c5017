import type { ObjectPlace } from "@milo-quota/kubernetes/client/watch/object-place.ts";
import type { GroupKind } from "../../../core/resources/fields/consumer-ref.ts";
import type { ClaimRecord } from "../../../views/claim-record.ts";
import type { Runtime } from "../../../views/runtime.ts";
import type { Views } from "../../../views/views.ts";
import { Arrivals } from "../arrivals.ts";
import { FirstSeen } from "../objects/first-seen.ts";
import { addressOf, isSameAddress, kindKey, type ObjectAddress, placeKey } from "../objects/governed-object.ts";
import { ClaimsByObject } from "./claims-by-object.ts";
import { holdsTheSame } from "./same-holding.ts";

export type ClaimEntry = readonly [ObjectPlace, ClaimRecord];

export interface ClaimRegisterListener {
  /** A claim came or changed; undefined: it went. */
  claim(place: ObjectPlace, now: ClaimRecord | undefined): void;
  /** The claims for an object are others than before. */
  holder(address: ObjectAddress): void;
  /** There are claims for objects of other kinds than before. */
  kinds(): void;
}

/** All claims, by what they are for, and since when we have seen them. */
export class ClaimRegister {
  readonly #runtime: Pick<Runtime, "planes">;
  readonly #view: Views["claims"];
  readonly #told: ClaimRegisterListener;
  readonly #byObject: ClaimsByObject;
  readonly firstSeen: FirstSeen;
  readonly arrivals: Arrivals;
  #unsubscribe: () => void = () => undefined;
  #hasStarted = false;

  constructor(runtime: Runtime, view: Views["claims"], youngMs: number, told: ClaimRegisterListener) {
    this.#runtime = runtime;
    this.#view = view;
    this.#told = told;
    this.#byObject = new ClaimsByObject(() => this.#hasStarted && told.kinds());
    this.firstSeen = new FirstSeen(runtime.elapsedMs);
    this.arrivals = new Arrivals(runtime.elapsedMs, youngMs);
  }

  start(): void {
    this.#unsubscribe = this.#view.subscribe({
      added: (place, now) => this.#saw(place, undefined, now),
      changed: (place, before, now) => this.#saw(place, before, now),
      removed: (place, before) => this.#lost(place, before),
    });
    this.#hasStarted = true;
  }

  stop(): void {
    this.#unsubscribe();
  }

  at(place: ObjectPlace): ClaimRecord | undefined {
    return this.#view.get(place);
  }

  of(address: ObjectAddress): readonly ClaimEntry[] {
    return this.#byObject.of(address).flatMap((place) => {
      const claim = this.#view.get(place);
      return claim === undefined ? [] : [[place, claim] as const];
    });
  }

  /** Those for objects of one kind, or all. */
  *entries(kind?: GroupKind): Generator<ClaimEntry> {
    for (const entry of this.#view.entries()) {
      const resource = entry[1].automatic?.resource;
      if (kind === undefined || (resource !== undefined && kindKey(resource) === kindKey(kind))) yield entry;
    }
  }

  kinds(): readonly GroupKind[] {
    return this.#byObject.kinds();
  }

  #saw(place: ObjectPlace, before: ClaimRecord | undefined, now: ClaimRecord): void {
    if (before !== undefined && before.uid !== now.uid) this.firstSeen.forget(placeKey(place), before);
    this.firstSeen.saw(placeKey(place), now);
    if (before === undefined && now.automatic !== undefined && this.#hasStarted) this.arrivals.arrived(now.uid);
    const [earlier, later] = [this.#addressOf(before), this.#addressOf(now)];
    if (later !== undefined) this.#byObject.add(later, place);
    // A claim that comes with its object needs nothing; what happens to either of them later is told then.
    if (before === undefined && this.#hasStarted && isStoredWithObject(now)) return;
    this.#told.claim(place, now);
    if (later !== undefined && !holdsTheSame(before, now)) this.#told.holder(later);
    if (earlier === undefined || isSameAddress(earlier, later)) return;
    this.#byObject.remove(earlier, place);
    this.#told.holder(earlier);
  }

  #lost(place: ObjectPlace, before: ClaimRecord): void {
    this.firstSeen.forget(placeKey(place), before);
    this.#told.claim(place, undefined);
    const address = this.#addressOf(before);
    if (address === undefined) return;
    this.#byObject.remove(address, place);
    this.#told.holder(address);
  }

  #addressOf(claim: ClaimRecord | undefined): ObjectAddress | undefined {
    return claim?.automatic && addressOf(claim.automatic, this.#runtime.planes);
  }
}

/** Whether a claim was granted and bound in its first version that we have seen. */
function isStoredWithObject({ state, deleting, automatic }: ClaimRecord): boolean {
  return state === "granted" && !deleting && automatic?.bound !== undefined;
}
