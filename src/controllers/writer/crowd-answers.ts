import { pause } from "../../kube/pause.ts";
import type { LogPlace } from "../../kube/transport/transport.ts";
import type { Clock } from "../../protocol/clock.ts";
import { allOf } from "./all-of.ts";
import type { DeskAnswers } from "./desk-answers.ts";
import { crowdMin } from "./patient-answers.ts";
import type { Promises } from "./promises.ts";

/**
 * Answers many claims of a batch while the disk is busy with their promises and their objects: all who wait for these would
 * wait anyway. Only where the server is in this process, and tells that promises have their place in its log.
 */
export class CrowdAnswers {
  readonly #promises: Promises;
  readonly #answers: Pick<DeskAnswers, "commit">;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  #first: LogPlace | undefined;
  #given: Promise<void> | undefined;

  constructor(promises: Promises, answers: Pick<DeskAnswers, "commit">, clock: Clock, signal: AbortSignal) {
    this.#promises = promises;
    this.#answers = answers;
    this.#clock = clock;
    this.#signal = signal;
  }

  /** Promises of the batch have their place. */
  ordered(place: LogPlace): void {
    this.#first ??= place;
    if (this.#given === undefined && this.#promises.known.length >= crowdMin) this.#given = this.#give(this.#first);
  }

  /** Settles when there is nothing under way. */
  async over(): Promise<void> {
    await this.#given;
  }

  /** In another turn: objects that were let in get their place in the log before. */
  async #give(first: LogPlace): Promise<void> {
    await pause(this.#clock, 0, this.#signal);
    await allOf(this.#promises.known.map((uid) => this.#answers.commit(uid, first)));
  }
}
