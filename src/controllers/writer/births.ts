import { type OpenClaim, pagesOf } from "../../core/ledger/page.ts";
import { dropPromises } from "../../core/ledger/recover.ts";
import type { Decision } from "../../core/ledger/settle.ts";
import type { ResourceClaim } from "../../core/resources/resource-claim.ts";
import type { Birth, Ground, LogPlace } from "../../protocol/log-place.ts";
import type { Desk, OpenEntry } from "./desk.ts";
import type { DeskAnswers } from "./desk-answers.ts";
import type { DeskPorts } from "./ports.ts";
import { isReserve } from "./promises.ts";
import { isValid } from "./validity.ts";

/** A claim that is stored as soon as somebody says with what. */
export interface ComingEntry extends OpenEntry {
  /** Called once. Without a birth it is stored undecided, and seen like any other. */
  readonly answer: (birth: Birth | undefined) => void;
  /** What was stored in the end; undefined if nothing was. */
  readonly stored: Promise<ResourceClaim | undefined>;
}

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
    const { forced, registrations } = this.#ports;
    const entries = [...this.#waiting.values()].filter(
      ({ place, claim, open }) =>
        forced.verdict(place, open.claim.uid) === "ordinary" &&
        pagesOf(open).every((type) => this.#desk.pages.has(type)) &&
        isValid(claim, registrations),
    );
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
    const { ahead, ledger } = this.#desk;
    if (!ahead.take(claim)) {
      ahead.comes(claim);
      return true;
    }
    const isKept = (): boolean => pagesOf(claim).every((type) => ledger.book(type).hasPromise(claim.claim.uid));
    const places = (): readonly LogPlace[] => (isKept() ? ahead.placesOf(claim) : []);
    this.#born(entry, { how: "standing", places });
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
    this.#born(entry, { how: "together", places });
    return true;
  }

  #born(entry: ComingEntry, rests: Ground): void {
    const { uid } = entry.open.claim;
    this.#waiting.delete(uid);
    entry.answer({ status: this.#answers.grantOf(entry.claim), rests });
    this.#desk.underWay.add(uid, this.#follow(entry, rests), () => this.#ports.lookAgain(this.#desk.id));
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

  /**
   * Whether it came as it was to. One that is there undecided all the same is decided like any other. Of one that did not come
   * nobody knows whether it is there: what it was to hold counts until everything is counted anew.
   */
  async #follow(entry: ComingEntry, { how }: Ground): Promise<boolean> {
    const stored = await entry.stored;
    if (how === "standing" && stored !== undefined) this.#desk.ahead.settled(entry.open);
    const isGranted = stored?.answer.state === "granted";
    if (isGranted) this.#answers.granted(entry);
    else if (stored === undefined) this.#desk.isCounted = false;
    else dropPromises(this.#desk.ledger, entry.open);
    return isGranted;
  }
}
