import { type Checker, InvariantBroken, type TrueChange, type World } from "../world/world.ts";
import type { AdmissionBook } from "./admission-book.ts";
import { AdmittedObjectsAreCounted, answerFaults } from "./admitted-objects-are-counted.ts";
import { restFaults, shownFaults } from "./at-rest.ts";
import { bindingFaults } from "./bound-once.ts";
import { ClaimsOutliveObjects } from "./claims-outlive-objects.ts";
import { decisionsStand } from "./decisions-stand.ts";
import { DenialsAreTrue } from "./denials-are-true.ts";
import type { Invariant } from "./invariant.ts";
import { pageBounds } from "./page-bounds.ts";
import { pagesCountEnough } from "./pages-count-enough.ts";
import { policyGrantFaults } from "./policy-grants.ts";
import { PolicyHistory } from "./policy-history.ts";
import { type QuotaChange, QuotaTruth } from "./quota-truth.ts";
import { swapsFit } from "./swaps-fit.ts";
import { transactionFaults } from "./transactions-are-whole.ts";

export interface Tolerances {
  /** By how much clocks of machines are wrong at most. */
  readonly clocksDifferMs: number;
  /** How long it may take at most, faults included, until a policy that is Ready is at work everywhere. */
  readonly unsureMs: number;
}

/** Judges everything there is to judge about quota. */
export class QuotaChecker implements Checker {
  readonly truth = new QuotaTruth();
  readonly #world: World;
  readonly #book: AdmissionBook;
  readonly #policies = new PolicyHistory();
  readonly #invariants: readonly Invariant[];
  readonly #tolerances: Tolerances;
  readonly #wrongAnswers: string[] = [];
  /** What people see may have been wrong when everything else was settled. */
  #mayCorrectFigures = false;
  #writesSinceSettled: string[] | undefined;
  #transaction: TrueChange[] = [];

  constructor(world: World, book: AdmissionBook, tolerances: Tolerances) {
    this.#world = world;
    this.#book = book;
    this.#tolerances = tolerances;
    this.#invariants = [
      pagesCountEnough,
      swapsFit,
      decisionsStand,
      new AdmittedObjectsAreCounted(book, this.#policies),
      new DenialsAreTrue(tolerances.clocksDifferMs, book),
      new ClaimsOutliveObjects(book, this.#policies),
      pageBounds,
    ];
    world.truth.onChange((change) => this.#take(change));
    book.whenAllowed((uid, claims) => {
      const left = claims.filter((claim) => !book.isEndedByHand(claim.uid));
      this.#wrongAnswers.push(...answerFaults(uid, left, this.truth));
    });
  }

  /** Writes are judged at the moment they are durable, and end the run then. Answers are given by programs. */
  step(): void {
    demand("I5", this.#wrongAnswers);
  }

  settled(): void {
    this.step();
    const governance = {
      layout: this.#world.layout,
      root: this.#world.planes.root,
      book: this.#book,
      policies: this.#policies,
      unsureMs: this.#tolerances.unsureMs,
    };
    demand("I9", restFaults(this.truth, this.#world.nowMs));
    demand("I9", policyGrantFaults(this.truth, this.#world));
    demand("I10", bindingFaults(this.truth, governance));
    demand(
      "I11",
      this.#book.unanswered.map(({ what }) => `nobody answered ${what}`),
    );
    this.#writesSinceSettled = [];
    this.#mayCorrectFigures = [...shownFaults(this.truth, this.#world.nowMs)].length > 0;
  }

  rested(): void {
    const writes = (this.#writesSinceSettled ?? []).filter((what) => !(this.#mayCorrectFigures && what === "figures"));
    demand("I12", writes.length === 0 ? [] : [`nothing happened, and ${writes.join(", ")} were written`]);
    demand("I9", restFaults(this.truth, this.#world.nowMs));
    demand("I9", shownFaults(this.truth, this.#world.nowMs));
  }

  /** What is written in one transaction is there at once, and judged as a whole. */
  #take(change: TrueChange): void {
    this.#transaction.push(change);
    if (change.more) return;
    const changes = this.#transaction.map((each) => this.#taken(each));
    this.#transaction = [];
    for (const each of changes) {
      for (const invariant of this.#invariants) demand(invariant.name, invariant.faults(each, this.truth));
    }
    demand("I13", transactionFaults(changes, this.truth));
  }

  #taken(change: TrueChange): QuotaChange {
    const { resource } = change.now.key;
    const taken = this.truth.take(change);
    this.#policies.take(taken);
    if (!isOfServers(resource)) this.#writesSinceSettled?.push(isOfFigures(taken, resource) ? "figures" : resource);
    return taken;
  }
}

/** Those who share work renew what they share it by, all the time. */
function isOfServers(resource: string): boolean {
  return resource === "leases.coordination.k8s.io";
}

/** What is shown beside pages. */
function isOfFigures({ about }: QuotaChange, resource: string): boolean {
  const isBucket = resource === "allowancebuckets.quota.miloapis.com";
  return about === "other" && (isBucket || resource === "effectiveresourcegrants.quota.miloapis.com");
}

function demand(invariant: string, faults: Iterable<string>): void {
  const all = [...faults];
  if (all.length > 0) throw new InvariantBroken(invariant, all.join("; "));
}
