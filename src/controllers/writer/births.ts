import { type OpenClaim, pagesOf } from "../../core/ledger/page.ts";
import { dropPromises } from "../../core/ledger/recover.ts";
import type { Decision } from "../../core/ledger/settle.ts";
import type { LogPlace } from "../../protocol/log-place.ts";
import { bornByWhatIsKept, type ComingEntry, giveBirth, isReady } from "./birth.ts";
import type { Desk } from "./desk.ts";
import type { DeskAnswers } from "./desk-answers.ts";
import type { DeskPorts } from "./ports.ts";
import { isReserve } from "./promises.ts";

/**
 * The claims of a batch that are yet to be stored. Those that get all they ask for are stored granted, in the same write to
 * the disk as the pages that count them; all others undecided. Only where the server is in this process.
 */
export class Births {
  readonly #desk: Desk;
  readonly #ports: DeskPorts;
  readonly #answers: DeskAnswers;
  readonly #coming: ReadonlyMap<string, ComingEntry>;
  /** Those that nobody has answered yet, by UID. */
  readonly #waiting: Map<string, ComingEntry>;
  readonly #places = new Map<string, LogPlace>();

  constructor(desk: Desk, ports: DeskPorts, answers: DeskAnswers) {
    this.#desk = desk;
    this.#ports = ports;
    this.#answers = answers;
    this.#coming = new Map(desk.takeComing().map((entry) => [entry.open.claim.uid, entry]));
    this.#waiting = new Map(this.#coming);
  }

  has(uid: string): boolean {
    return this.#coming.has(uid);
  }

  /** Those that can be decided as things are. */
  ready(): readonly OpenClaim[] {
    const entries = [...this.#waiting.values()].filter((entry) => isReady(entry, this.#desk, this.#ports));
    return entries.map(({ open }) => open);
  }

  /**
   * What was decided and is yet to be done. Claims that are yet to be stored and do not get what they ask for are let go; those
   * that pages have kept enough for are born by that.
   */
  decided(decisions: readonly Decision[]): readonly Decision[] {
    const reserved = new Set(decisions.filter(isReserve).map(({ claim }) => claim.claim.uid));
    this.#letGo((uid) => !reserved.has(uid));
    return decisions.filter((decision) => !this.has(decision.claim.claim.uid) || this.#isLeft(decision));
  }

  #isLeft(decision: Decision): boolean {
    const { claim } = decision;
    const entry = this.#waiting.get(claim.claim.uid);
    if (!isReserve(decision) || entry === undefined) return false;
    if (!bornByWhatIsKept(entry, this.#hands)) {
      this.#desk.ahead.comes(claim);
      return true;
    }
    this.#waiting.delete(claim.claim.uid);
    return false;
  }

  /** The page of this type, which counts them, has its place. */
  ordered(type: string, place: LogPlace): void {
    this.#places.set(type, place);
  }

  /** All pages of a claim have their places: it is born by them. Whether this was one that is yet to be stored, and now is. */
  promised(uid: string): boolean {
    const entry = this.#waiting.get(uid);
    const places = entry === undefined ? [] : pagesOf(entry.open).map((type) => this.#places.get(type));
    if (entry === undefined || !places.every((place) => place !== undefined)) return false;
    this.#waiting.delete(uid);
    giveBirth(entry, { how: "together", places }, this.#hands);
    return true;
  }

  /** Whoever was not answered by now is to be stored undecided. */
  end(): void {
    this.#letGo(() => true);
  }

  #letGo(isLeft: (uid: string) => boolean): void {
    for (const [uid, { open, answer }] of this.#waiting) {
      if (!isLeft(uid)) continue;
      this.#waiting.delete(uid);
      dropPromises(this.#desk.ledger, open);
      answer(undefined);
    }
  }

  get #hands() {
    return { desk: this.#desk, ports: this.#ports, answers: this.#answers };
  }
}
