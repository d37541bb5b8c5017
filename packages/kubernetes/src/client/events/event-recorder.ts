import { StatusError } from "../../protocol/api-status.ts";
import type { Clock } from "../../protocol/clock.ts";
import type { JsonObject } from "../../protocol/json-value.ts";
import type { KubernetesObject } from "../../protocol/object-meta.ts";
import { backoffMs, type Random } from "../backoff.ts";
import { pause } from "../pause.ts";
import type { ResourceClient } from "../resources/resource-client.ts";
import type { ResourceType } from "../resources/resource-type.ts";
import { sharedAbort } from "../shared-abort.ts";
import { untilAborted } from "../until-aborted.ts";
import {
  type EventSource,
  type EventSubject,
  eventObject,
  type Happening,
  namespaceOf,
  type Occurrence,
  repetition,
} from "./core-event.ts";
import { type CorrelatorLimits, EventCorrelator } from "./event-correlator.ts";

export const eventType: ResourceType = { group: "", version: "v1", plural: "events", scope: "Namespaced" };

export interface EventRecorderOptions {
  /** The events of the plane that the object is in. */
  readonly eventsOf: (plane: string) => Pick<ResourceClient<JsonObject>, "create" | "patch">;
  readonly source: EventSource;
  readonly clock: Clock;
  readonly random: Random;
  /** Hears of events that nobody will see. */
  readonly report: (error: unknown) => void;
  readonly limits?: Partial<CorrelatorLimits>;
}

const waitingMax = 1_000;
const triesMax = 12;
const retry = { minMs: 500, maxMs: 10_000 };
const stopMsMax = 2_000;

interface Waiting {
  readonly plane: string;
  readonly occurrence: Occurrence;
}

/** Tells people what happened to an object, where `kubectl describe` shows it. Never waited for, never a reason to fail. */
export class EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #correlator: EventCorrelator;
  readonly #waiting: Waiting[] = [];
  readonly #stopped = sharedAbort();
  #writing: Promise<void> | undefined;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#correlator = new EventCorrelator(options.clock, options.limits);
  }

  record(plane: string, subject: EventSubject, happening: Happening): void {
    if (this.#stopped.signal.aborted) return;
    const occurrence = this.#correlator.next(plane, subject, happening);
    if (occurrence === undefined) return;
    if (this.#waiting.length >= waitingMax) {
      this.#options.report(new RangeError(`more than ${waitingMax} events wait to be written; one is dropped`));
      return;
    }
    this.#waiting.push({ plane, occurrence });
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
    });
  }

  /** Resolves when what was recorded is written, or a little later in any case. */
  async stop(): Promise<void> {
    const late = new AbortController();
    const deadline = this.#options.clock.after(stopMsMax, () => late.abort());
    await untilAborted(this.#writing ?? Promise.resolve(), late.signal).catch(() => undefined);
    deadline.stop();
    this.#stopped.abort(new Error("the recorder of events was stopped"));
    this.#waiting.length = 0;
  }

  async #writeAll(): Promise<void> {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      await this.#write(next).catch((error: unknown) => {
        // What is still unwritten when the recorder stops is given up.
        if (!this.#stopped.signal.aborted) this.#options.report(error);
      });
    }
  }

  /** A server that cannot be reached is waited for; one that refuses an event will refuse it again. */
  async #write(waiting: Waiting): Promise<void> {
    const { clock, random } = this.#options;
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#send(waiting);
      } catch (error) {
        const isFinal = error instanceof StatusError && error.status.code < 500 && error.status.code !== 429;
        if (isFinal || tries >= triesMax || this.#stopped.signal.aborted) throw error;
        await pause(clock, backoffMs(tries, retry, random), this.#stopped.signal);
      }
    }
  }

  async #send({ plane, occurrence }: Waiting): Promise<void> {
    if (occurrence.count > 1 && (await this.#counted(plane, occurrence))) return;
    const object = eventObject(occurrence, this.#options.source) as unknown as KubernetesObject;
    await this.#options.eventsOf(plane).create(object, {}, this.#stopped.signal).catch(unlessCode(409));
  }

  /** Whether the event that is to be counted up is still there: servers forget events after an hour or so. */
  async #counted(plane: string, occurrence: Occurrence): Promise<boolean> {
    const ref = { namespace: namespaceOf(occurrence.subject), name: occurrence.name };
    const patch = { type: "merge", body: repetition(occurrence) } as const;
    const found = this.#options.eventsOf(plane).patch(ref, patch, {}, this.#stopped.signal);
    return (await found.catch(unlessCode(404))) !== undefined;
  }
}

/** Turns one refusal into nothing. */
function unlessCode(code: number): (error: unknown) => undefined {
  return (error) => {
    if (error instanceof StatusError && error.status.code === code) return undefined;
    throw error;
  };
}
