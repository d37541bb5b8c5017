import type { Random } from "@milo-quota/kubernetes/client/backoff.ts";
import type { KubeClient } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { Clock, Timer } from "@milo-quota/kubernetes/protocol/clock.ts";
import { ClaimStream } from "./claim-stream.ts";
import type { StreamsListener } from "./stream-listener.ts";

export interface ClaimStreamsOptions {
  readonly clientOf: (plane: string) => KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly report: (where: string, error: unknown) => void;
  readonly told?: StreamsListener;
  /** How long a stream goes on that nobody uses. */
  readonly idleMsMax?: number;
}

interface OpenStream {
  readonly stream: ClaimStream;
  users: number;
  idle: Timer | undefined;
}

export interface StreamsHealth {
  /** Streams that should be open. */
  readonly desired: number;
  readonly connected: number;
  readonly waiters: number;
  /** For how long the oldest one has been open. */
  readonly uptimeMsMax: number;
  /** How long ago one of them last heard how far its server is. */
  readonly bookmarkAgeMsMax: number;
}

const idleMsDefault = 5 * 60_000;

/** One stream of claims for each plane in use: opened by the first who needs it, and ended when nobody has for a while. */
export class ClaimStreams {
  readonly #options: ClaimStreamsOptions;
  readonly #streams = new Map<string, OpenStream>();
  #isStopped = false;

  constructor(options: ClaimStreamsOptions) {
    this.#options = options;
  }

  /** How all streams are, for those who look from outside. */
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

  /** Works with the stream of a plane, which stays open meanwhile. */
  async use<Result>(plane: string, work: (stream: ClaimStream) => Promise<Result>): Promise<Result> {
    const open = this.#streams.get(plane) ?? this.#start(plane);
    open.users += 1;
    open.idle?.stop();
    try {
      return await work(open.stream);
    } finally {
      open.users -= 1;
      if (open.users === 0) this.#rest(plane, open);
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    const all = [...this.#streams.values()];
    this.#streams.clear();
    for (const { idle } of all) {
      idle?.stop();
      this.#options.told?.ended?.("shutdown");
    }
    await Promise.all(all.map(({ stream }) => stream.stop()));
  }

  #start(plane: string): OpenStream {
    if (this.#isStopped) throw new Error("no stream is opened any more");
    const { clientOf, clock, random, report, told = {} } = this.#options;
    const stream = new ClaimStream({
      client: clientOf(plane),
      clock,
      random,
      report: (error) => {
        report(`claims of ${plane}`, error);
        // The plane is gone. Whoever comes all the same opens a stream of their own.
        if (error instanceof StatusError && error.status.code === 404) this.#end(plane, open);
      },
      told,
    });
    const open: OpenStream = { stream, users: 0, idle: undefined };
    this.#streams.set(plane, open);
    told.opened?.();
    return open;
  }

  #rest(plane: string, open: OpenStream): void {
    const { clock, told = {}, idleMsMax = idleMsDefault } = this.#options;
    if (this.#isStopped) return;
    told.idle?.();
    open.idle = clock.after(idleMsMax, () => this.#end(plane, open));
  }

  #end(plane: string, open: OpenStream): void {
    const { told = {}, report } = this.#options;
    if (open.users > 0 || this.#streams.get(plane) !== open) return;
    this.#streams.delete(plane);
    open.idle?.stop();
    told.ended?.("idle");
    void open.stream.stop().catch((error: unknown) => report(`claims of ${plane}`, error));
  }
}
