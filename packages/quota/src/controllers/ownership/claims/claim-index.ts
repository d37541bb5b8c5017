import type { PlaneObjectKey } from "@milo-quota/kubernetes/client/watch/plane-object-key.ts";
import type { GroupKind } from "../../../core/resources/fields/consumer-ref.ts";
import type { ClaimRecord } from "../../../views/claim-record.ts";
import type { Runtime } from "../../../views/runtime.ts";
import type { Views } from "../../../views/views.ts";
import { objectId } from "../../object-id.ts";
import { ClaimHistory } from "../objects/claim-history.ts";
import { addressOf, isSameAddress, kindKey, type ObjectAddress } from "../objects/object-address.ts";
import { RecentClaims } from "../recent-claims.ts";
import { ClaimsByObject } from "./claims-by-object.ts";
import { isHoldingUnchanged } from "./unchanged-holding.ts";

export type ClaimEntry = readonly [PlaneObjectKey, ClaimRecord];

export interface ClaimIndexObserver {
  /** A claim was added or updated; undefined: deleted. */
  onClaim(key: PlaneObjectKey, now: ClaimRecord | undefined): void;
  /** What the claims of an object hold has changed. */
  onHoldingChanged(address: ObjectAddress): void;
  /** The set of kinds with claims has changed. */
  onKindsChanged(): void;
}

/** Indexes the claim cache by object, and records when this process first observed each claim. */
export class ClaimIndex {
  readonly #runtime: Pick<Runtime, "planes">;
  readonly #view: Views["claims"];
  readonly #observer: ClaimIndexObserver;
  readonly #byObject: ClaimsByObject;
  readonly history: ClaimHistory;
  readonly recent: RecentClaims;
  #unsubscribe: () => void = () => undefined;
  #hasStarted = false;

  constructor(runtime: Runtime, view: Views["claims"], recentMs: number, observer: ClaimIndexObserver) {
    this.#runtime = runtime;
    this.#view = view;
    this.#observer = observer;
    this.#byObject = new ClaimsByObject(() => this.#hasStarted && observer.onKindsChanged());
    this.history = new ClaimHistory(runtime.elapsedMs);
    this.recent = new RecentClaims(runtime.elapsedMs, recentMs);
  }

  start(): void {
    this.#unsubscribe = this.#view.subscribe({
      onAdd: (key, now) => this.#put(key, undefined, now),
      onUpdate: (key, before, now) => this.#put(key, before, now),
      onDelete: (key, before) => this.#remove(key, before),
    });
    this.#hasStarted = true;
  }

  stop(): void {
    this.#unsubscribe();
  }

  get(key: PlaneObjectKey): ClaimRecord | undefined {
    return this.#view.get(key);
  }

  of(address: ObjectAddress): readonly ClaimEntry[] {
    return this.#byObject.of(address).flatMap((key) => {
      const claim = this.#view.get(key);
      return claim === undefined ? [] : [[key, claim] as const];
    });
  }

  /** Claims for objects of one kind, or all claims. */
  *entries(kind?: GroupKind): Generator<ClaimEntry> {
    for (const entry of this.#view.entries()) {
      const resource = entry[1].automatic?.resource;
      if (kind === undefined || (resource !== undefined && kindKey(resource) === kindKey(kind))) yield entry;
    }
  }

  kinds(): readonly GroupKind[] {
    return this.#byObject.kinds();
  }

  #put(key: PlaneObjectKey, before: ClaimRecord | undefined, now: ClaimRecord): void {
    if (before !== undefined && before.uid !== now.uid) this.history.forget(objectId(key), before);
    this.history.observe(objectId(key), now);
    if (before === undefined && now.automatic !== undefined && this.#hasStarted) this.recent.add(now.uid);
    const [earlier, later] = [this.#addressOf(before), this.#addressOf(now)];
    if (later !== undefined) this.#byObject.add(later, key);
    // A claim that was stored together with its object needs no reconcile; later changes to either of them trigger one.
    if (before === undefined && this.#hasStarted && isStoredWithObject(now)) return;
    this.#observer.onClaim(key, now);
    if (later !== undefined && !isHoldingUnchanged(before, now)) this.#observer.onHoldingChanged(later);
    if (earlier === undefined || isSameAddress(earlier, later)) return;
    this.#byObject.remove(earlier, key);
    this.#observer.onHoldingChanged(earlier);
  }

  #remove(key: PlaneObjectKey, before: ClaimRecord): void {
    this.history.forget(objectId(key), before);
    this.#observer.onClaim(key, undefined);
    const address = this.#addressOf(before);
    if (address === undefined) return;
    this.#byObject.remove(address, key);
    this.#observer.onHoldingChanged(address);
  }

  #addressOf(claim: ClaimRecord | undefined): ObjectAddress | undefined {
    return claim?.automatic && addressOf(claim.automatic, this.#runtime.planes);
  }
}

/** Only claims that were stored together with their object are granted and bound when they first appear. */
function isStoredWithObject({ state, deleting, automatic }: ClaimRecord): boolean {
  return state === "granted" && !deleting && automatic?.bound !== undefined;
}
