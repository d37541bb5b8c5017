import { StatusError } from "../../protocol/api-status.ts";
import type { Clock } from "../../protocol/clock.ts";
import type { JsonObject } from "../../protocol/json-value.ts";
import type { KubernetesObject } from "../../protocol/object-meta.ts";
import { abortable } from "../abortable.ts";
import { backoffMs, type Random } from "../backoff.ts";
import { lightAbortController } from "../light-abort-controller.ts";
import type { ResourceClient } from "../resources/resource-client.ts";
import type { ResourceType } from "../resources/resource-type.ts";
import { sleep } from "../sleep.ts";
import {
  type CorrelatedEvent,
  type EventContent,
  type EventSource,
  eventObject,
  type InvolvedObject,
  namespaceOf,
  repeatFields,
} from "./core-event.ts";
import { type CorrelatorLimits, EventCorrelator } from "./event-correlator.ts";

export const eventType: ResourceType = { group: "", version: "v1", plural: "events", scope: "Namespaced" };

export interface EventRecorderOptions {
  /** The event client of a plane. */
  readonly eventsOf: (plane: string) => Pick<ResourceClient<JsonObject>, "create" | "patch">;
  readonly source: EventSource;
  readonly clock: Clock;
  readonly random: Random;
  /** Receives errors about events that are lost. */
  readonly report: (error: unknown) => void;
  readonly limits?: Partial<CorrelatorLimits>;
}

const waitingMax = 1_000;
const triesMax = 12;
const retry = { minMs: 500, maxMs: 10_000 };
const stopMsMax = 2_000;

interface Waiting {
  readonly plane: string;
  readonly event: CorrelatedEvent;
}

/** Records events, which `kubectl describe` shows. Callers never wait for it and never fail because of it. */
export class EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #correlator: EventCorrelator;
  readonly #waiting: Waiting[] = [];
  readonly #stopped = lightAbortController();
  #writing: Promise<void> | undefined;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#correlator = new EventCorrelator(options.clock, options.limits);
  }

  record(plane: string, involvedObject: InvolvedObject, content: EventContent): void {
    if (this.#stopped.signal.aborted) return;
    const event = this.#correlator.correlate(plane, involvedObject, content);
    if (event === undefined) return;
    if (this.#waiting.length >= waitingMax) {
      this.#options.report(new RangeError(`more than ${waitingMax} events are waiting to be written; one is dropped`));
      return;
    }
    this.#waiting.push({ plane, event });
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
    });
  }

  /** Resolves when recorded events are written, or after a short timeout. */
  async stop(): Promise<void> {
    const late = new AbortController();
    const deadline = this.#options.clock.after(stopMsMax, () => late.abort());
    await abortable(this.#writing ?? Promise.resolve(), late.signal).catch(() => undefined);
    deadline.stop();
    this.#stopped.abort(new Error("the event recorder was stopped"));
    this.#waiting.length = 0;
  }

  async #writeAll(): Promise<void> {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      await this.#write(next).catch((error: unknown) => {
        // Events that are unwritten when the recorder stops are dropped.
        if (!this.#stopped.signal.aborted) this.#options.report(error);
      });
    }
  }

  /** Retries while the server cannot be reached; a rejected event would be rejected again. */
  async #write(waiting: Waiting): Promise<void> {
    const { clock, random } = this.#options;
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#send(waiting);
      } catch (error) {
        const isFinal = error instanceof StatusError && error.status.code < 500 && error.status.code !== 429;
        if (isFinal || tries >= triesMax || this.#stopped.signal.aborted) throw error;
        await sleep(clock, backoffMs(tries, retry, random), this.#stopped.signal);
      }
    }
  }

  async #send({ plane, event }: Waiting): Promise<void> {
    if (event.count > 1 && (await this.#updateCount(plane, event))) return;
    const object = eventObject(event, this.#options.source) as unknown as KubernetesObject;
    await this.#options.eventsOf(plane).create(object, {}, this.#stopped.signal).catch(unlessCode(409));
  }

  /** Whether the event to update still exists: servers delete events after an hour or so. */
  async #updateCount(plane: string, event: CorrelatedEvent): Promise<boolean> {
    const ref = { namespace: namespaceOf(event.involvedObject), name: event.name };
    const patch = { type: "merge", body: repeatFields(event) } as const;
    const found = this.#options.eventsOf(plane).patch(ref, patch, {}, this.#stopped.signal);
    return (await found.catch(unlessCode(404))) !== undefined;
  }
}

/** Maps one error code to undefined. */
function unlessCode(code: number): (error: unknown) => undefined {
  return (error) => {
    if (error instanceof StatusError && error.status.code === code) return undefined;
    throw error;
  };
}
