import { type Checker, InvariantViolation, type StoredChange, type World } from "../world/world.ts";
import type { AdmissionHistory } from "./admission-history.ts";
import { AdmittedObjectsAreCounted, admissionViolations } from "./admitted-objects-are-counted.ts";
import { allocatedCoversClaims } from "./allocated-covers-claims.ts";
import { bindingViolations } from "./bound-once.ts";
import { bucketBounds } from "./bucket-bounds.ts";
import { ClaimsOutliveObjects } from "./claims-outlive-objects.ts";
import { decisionsAreFinal } from "./decisions-are-final.ts";
import { DenialsAreJustified } from "./denials-are-justified.ts";
import type { Invariant } from "./invariant.ts";
import { policyGrantViolations } from "./policy-grants.ts";
import { PolicyHistory } from "./policy-history.ts";
import { displayedFigureViolations, quiescenceViolations } from "./quiescence.ts";
import { type QuotaChange, QuotaTruth } from "./quota-truth.ts";
import { reservationsFit } from "./reservations-fit.ts";
import { transactionViolations } from "./transactions-are-atomic.ts";

export interface Tolerances {
  /** Upper bound of clock skew. */
  readonly clockSkewMsMax: number;
  /** Upper bound of the time, faults included, until all machines apply a ready policy. */
  readonly policyDelayMsMax: number;
}

/** Checks all invariants of quota. */
export class QuotaChecker implements Checker {
  readonly truth = new QuotaTruth();
  readonly #world: World;
  readonly #history: AdmissionHistory;
  readonly #policies = new PolicyHistory();
  readonly #invariants: readonly Invariant[];
  readonly #tolerances: Tolerances;
  readonly #admissionViolations: string[] = [];
  /** Whether displayed figures were wrong when the world settled, so that a resync may still write them. */
  #mayCorrectFigures = false;
  #writesSinceSettled: string[] | undefined;
  #transaction: StoredChange[] = [];

  constructor(world: World, history: AdmissionHistory, tolerances: Tolerances) {
    this.#world = world;
    this.#history = history;
    this.#tolerances = tolerances;
    this.#invariants = [
      allocatedCoversClaims,
      reservationsFit,
      decisionsAreFinal,
      new AdmittedObjectsAreCounted(history, this.#policies),
      new DenialsAreJustified(tolerances.clockSkewMsMax, history),
      new ClaimsOutliveObjects(history, this.#policies),
      bucketBounds,
    ];
    world.truth.onChange((change) => this.#take(change));
    history.onObjectAdmitted((uid, claims) => {
      const left = claims.filter((claim) => !history.isClaimDeletedByActor(claim.uid));
      this.#admissionViolations.push(...admissionViolations(uid, left, this.truth));
    });
  }

  /** Writes are checked when they become durable. Only admission responses, which programs give, are left for here. */
  checkStep(): void {
    assertNone("I5", this.#admissionViolations);
  }

  checkSettled(): void {
    this.checkStep();
    const governance = {
      layout: this.#world.layout,
      root: this.#world.planes.root,
      history: this.#history,
      policies: this.#policies,
      policyDelayMsMax: this.#tolerances.policyDelayMsMax,
    };
    assertNone("I9", quiescenceViolations(this.truth, this.#world.nowMs));
    assertNone("I9", policyGrantViolations(this.truth, this.#world));
    assertNone("I10", bindingViolations(this.truth, governance));
    assertNone(
      "I11",
      this.#history.unanswered.map(({ what }) => `no answer to ${what}`),
    );
    this.#writesSinceSettled = [];
    this.#mayCorrectFigures = [...displayedFigureViolations(this.truth, this.#world.nowMs)].length > 0;
  }

  checkQuiescent(): void {
    const writes = (this.#writesSinceSettled ?? []).filter((what) => !(this.#mayCorrectFigures && what === "figures"));
    assertNone("I12", writes.length === 0 ? [] : [`writes in a settled world: ${writes.join(", ")}`]);
    assertNone("I9", quiescenceViolations(this.truth, this.#world.nowMs));
    assertNone("I9", displayedFigureViolations(this.truth, this.#world.nowMs));
  }

  /** A transaction is checked as a whole. */
  #take(change: StoredChange): void {
    this.#transaction.push(change);
    if (change.more) return;
    const changes = this.#transaction.map((each) => this.#taken(each));
    this.#transaction = [];
    for (const each of changes) {
      for (const invariant of this.#invariants) assertNone(invariant.name, invariant.violations(each, this.truth));
    }
    assertNone("I13", transactionViolations(changes, this.truth));
  }

  #taken(change: StoredChange): QuotaChange {
    const { resource } = change.now.key;
    const taken = this.truth.take(change);
    this.#policies.take(taken);
    if (!isOfServers(resource)) this.#writesSinceSettled?.push(isOfFigures(taken, resource) ? "figures" : resource);
    return taken;
  }
}

/** Replicas renew their leases all the time. */
function isOfServers(resource: string): boolean {
  return resource === "leases.coordination.k8s.io";
}

/** Figures that no decision reads. */
function isOfFigures({ about }: QuotaChange, resource: string): boolean {
  const isBucket = resource === "allowancebuckets.quota.miloapis.com";
  return about === "other" && (isBucket || resource === "effectiveresourcegrants.quota.miloapis.com");
}

function assertNone(invariant: string, violations: Iterable<string>): void {
  const all = [...violations];
  if (all.length > 0) throw new InvariantViolation(invariant, all.join("; "));
}
