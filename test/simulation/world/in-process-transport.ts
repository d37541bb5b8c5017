import type { Call, LineSink, Reply, Transport } from "@milo-quota/kubernetes/client/transport/transport.ts";
import type { Life, SimulatedMachine } from "./machine.ts";
import type { RequestFate } from "./network-conditions.ts";
import { errorReply } from "./server-errors.ts";

export interface InProcessTransportDeps {
  readonly machine: SimulatedMachine;
  readonly life: Life;
  /** Calls the server directly. */
  readonly direct: Transport;
  readonly fateOf: (call: Call) => RequestFate;
  /** Applies a concurrent edit to the object of a call. Settles when the edit is visible or queued; never rejects. */
  readonly edit: (call: Call) => Promise<void>;
}

/**
 * Transport from the process of the API server to the server itself: no latency, no losses. But the server may be busy,
 * other clients may write first, and the process may crash or pause at every call. Calls of a crashed process never return.
 */
export class InProcessTransport implements Transport {
  readonly #deps: InProcessTransportDeps;

  constructor(deps: InProcessTransportDeps) {
    this.#deps = deps;
  }

  request(call: Call, signal: AbortSignal): Promise<Reply> {
    return this.#whileAlive(call, async () => {
      signal.throwIfAborted();
      const { direct, edit, fateOf } = this.#deps;
      const fate = fateOf(call);
      if (fate === "unavailable" || fate === "busy") return errorReply(fate);
      if (fate === "concurrent edit") await edit(call);
      return direct.request(call, signal);
    });
  }

  stream(call: Call, sink: LineSink, signal: AbortSignal): Promise<void> {
    const { direct, life } = this.#deps;
    const guarded: LineSink = {
      onOpened: () => {
        if (!life.isOver) sink.onOpened();
      },
      onLine: (line) => {
        if (!life.isOver) sink.onLine(line);
      },
    };
    return this.#whileAlive(call, () => direct.stream(call, guarded, signal));
  }

  progress(call: Call, signal: AbortSignal): Promise<string> {
    const { direct } = this.#deps;
    return this.#whileAlive(
      call,
      () => direct.progress?.(call, signal) ?? Promise.reject(new Error("progress is not supported")),
    );
  }

  async close(): Promise<void> {
    await this.#deps.direct.close();
  }

  async #whileAlive<Result>(call: Call, work: () => Promise<Result>): Promise<Result> {
    const { machine, life } = this.#deps;
    if (life.isOver || !machine.mayCall(call)) return never();
    try {
      const result = await work();
      return life.isOver ? never() : result;
    } catch (error) {
      if (life.isOver) return never();
      throw error;
    }
  }
}

function never<Value>(): Promise<Value> {
  return new Promise(() => undefined);
}
