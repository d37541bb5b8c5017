import type { Random } from "@milo-quota/kubernetes/client/backoff.ts";
import type { KubeClient } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { Clock, Timer } from "@milo-quota/kubernetes/protocol/clock.ts";
import { ClaimStream } from "./claim-stream.ts";
import type { StreamsObserver } from "./stream-observer.ts";

export interface ClaimStreamsOptions {
  readonly clientOf: (plane: string) => KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly report: (where: string, error: unknown) => void;
  readonly observer?: StreamsObserver;
  /** Time after which an unused stream is closed. */
  readonly idleMsMax?: number;
}

interface OpenStream {
  readonly stream: ClaimStream;
  users: number;
  idle: Timer | undefined;
}

export interface StreamsHealth {
  /** Number of streams that should be connected. */
  readonly desired: number;
  readonly connected: number;
  readonly waiters: number;
  /** Uptime of the stream that has been connected the longest. */
  readonly uptimeMsMax: number;
  /** The longest time since a stream received its last bookmark. */
  readonly bookmarkAgeMsMax: number;
}

const idleMsDefault = 5 * 60_000;

/** One claim stream for each control plane in use: opened on first use, and closed after an idle timeout. */
export class ClaimStreams {
  readonly #options: ClaimStreamsOptions;
  readonly #streams = new Map<string, OpenStream>();
  #isStopped = false;

  constructor(options: ClaimStreamsOptions) {
    this.#options = options;
  }

  get health(): StreamsHealth {
    const all = [...this.#streams.values()].map(({ stream }) => stream);
    return {
      desired: all.length,
      connected: all.filter(({ health }) => health.isConnected).length,
      waiters: all.reduce((sum, { waiterCount }) => sum + waiterCount, 0),
      uptimeMsMax: Math.max(0, ...all.map(({ health }) => health.uptimeMs)),
      bookmarkAgeMsMax: Math.max(0, ...all.map(({ health }) => health.bookmarkAgeMs)),
    };
  }

  /** Runs work with the stream of a plane. The stream stays open until the work is done. */
  async use<Result>(plane: string, work: (stream: ClaimStream) => Promise<Result>): Promise<Result> {
    const open = this.#streams.get(plane) ?? this.#start(plane);
    open.users += 1;
    open.idle?.stop();
    try {
      return await work(open.stream);
    } finally {
      open.users -= 1;
      if (open.users === 0) this.#startIdleTimeout(plane, open);
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    const all = [...this.#streams.values()];
    this.#streams.clear();
    for (const { idle } of all) {
      idle?.stop();
      this.#options.observer?.onClosed?.("shutdown");
    }
    await Promise.all(all.map(({ stream }) => stream.stop()));
  }

  #start(plane: string): OpenStream {
    if (this.#isStopped) throw new Error("claim streams are stopped");
    const { clientOf, clock, random, report, observer = {} } = this.#options;
    const stream = new ClaimStream({
      client: clientOf(plane),
      clock,
      random,
      report: (error) => {
        report(`claims of ${plane}`, error);
        // The plane was deleted. A later request for it opens a new stream.
        if (error instanceof StatusError && error.status.code === 404) this.#close(plane, open);
      },
      observer,
    });
    const open: OpenStream = { stream, users: 0, idle: undefined };
    this.#streams.set(plane, open);
    observer.onOpened?.();
    return open;
  }

  #startIdleTimeout(plane: string, open: OpenStream): void {
    const { clock, observer = {}, idleMsMax = idleMsDefault } = this.#options;
    if (this.#isStopped) return;
    observer.onIdle?.();
    open.idle = clock.after(idleMsMax, () => this.#close(plane, open));
  }

  #close(plane: string, open: OpenStream): void {
    const { observer = {}, report } = this.#options;
    if (open.users > 0 || this.#streams.get(plane) !== open) return;
    this.#streams.delete(plane);
    open.idle?.stop();
    observer.onClosed?.("idle");
    void open.stream.stop().catch((error: unknown) => report(`claims of ${plane}`, error));
  }
}
