import type { Call, LineSink, Reply, Transport } from "@milo-quota/kubernetes/client/transport/transport.ts";
import { replyTo } from "./busy-server.ts";
import type { Life, SimulatedMachine } from "./machine.ts";
import type { Fate } from "./weather.ts";

export interface InnerPorts {
  readonly machine: SimulatedMachine;
  readonly life: Life;
  /** Straight into the server. */
  readonly direct: Transport;
  readonly fateOf: (call: Call) => Fate;
  /** Somebody else changes the object of a call right before. Settles, and never rejects, when that can be seen. */
  readonly touch: (call: Call) => Promise<void>;
}

/**
 * The way into the server from its own process: it takes no time and loses nothing. But the server may be busy, others may
 * be faster, and the process may crash, or stand still, at every call; nothing comes back in a process that is gone.
 */
export class InnerWay implements Transport {
  readonly #ports: InnerPorts;

  constructor(ports: InnerPorts) {
    this.#ports = ports;
  }

  request(call: Call, signal: AbortSignal): Promise<Reply> {
    return this.#alive(call, async () => {
      signal.throwIfAborted();
      const { direct, touch, fateOf } = this.#ports;
      const fate = fateOf(call);
      if (fate === "unavailable" || fate === "busy") return replyTo(fate);
      if (fate === "overtaken") await touch(call);
      return direct.request(call, signal);
    });
  }

  stream(call: Call, sink: LineSink, signal: AbortSignal): Promise<void> {
    const { direct, life } = this.#ports;
    const heard: LineSink = {
      opened: () => {
        if (!life.isOver) sink.opened();
      },
      line: (line) => {
        if (!life.isOver) sink.line(line);
      },
    };
    return this.#alive(call, () => direct.stream(call, heard, signal));
  }

  progress(call: Call, signal: AbortSignal): Promise<string> {
    const { direct } = this.#ports;
    return this.#alive(call, () => direct.progress?.(call, signal) ?? Promise.reject(new Error("unasked")));
  }

  async close(): Promise<void> {
    await this.#ports.direct.close();
  }

  async #alive<Result>(call: Call, work: () => Promise<Result>): Promise<Result> {
    const { machine, life } = this.#ports;
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
