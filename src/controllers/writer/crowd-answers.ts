import { pause } from "../../kube/pause.ts";
import type { LogPlace } from "../../kube/transport/transport.ts";
import type { Clock } from "../../protocol/clock.ts";
import { allOf } from "./all-of.ts";
import type { DeskAnswers } from "./desk-answers.ts";
import { crowdMin } from "./patient-answers.ts";
import type { Promises } from "./promises.ts";
import type { UnderWay } from "./under-way.ts";

interface CrowdOptions {
  readonly promises: Promises;
  readonly answers: Pick<DeskAnswers, "commit">;
  readonly underWay: UnderWay;
  readonly clock: Clock;
  /** Told when an answer could not be given. */
  readonly failed: () => void;
}

/**
 * Answers many claims of a batch while the disk is busy with their promises and their objects: all who wait for these would
 * wait anyway. Nor does the next batch wait for the answers. Only where the server is in this process, and tells that promises have their place in its log.
 */
export class CrowdAnswers {
  readonly #promises: Promises;
  readonly #answers: Pick<DeskAnswers, "commit">;
  readonly #underWay: UnderWay;
  readonly #clock: Clock;
  readonly #failed: () => void;
  readonly #signal: AbortSignal;
  #first: LogPlace | undefined;
  #isGiving = false;

  constructor({ promises, answers, underWay, clock, failed }: CrowdOptions, signal: AbortSignal) {
    this.#promises = promises;
    this.#answers = answers;
    this.#underWay = underWay;
    this.#clock = clock;
    this.#failed = failed;
    this.#signal = signal;
  }

  /** Promises of the batch have their place. */
  ordered(place: LogPlace): void {
    this.#first ??= place;
    const { known } = this.#promises;
    if (this.#isGiving || known.length < crowdMin) return;
    this.#isGiving = true;
    this.#underWay.add(known, this.#give(known, this.#first), this.#failed);
  }

  /** In another turn: objects that were let in get their place in the log before. */
  async #give(uids: readonly string[], first: LogPlace): Promise<void> {
    await pause(this.#clock, 0, this.#signal);
    await allOf(uids.map((uid) => this.#answers.commit(uid, first)));
  }
}
