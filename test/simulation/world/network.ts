import { ChildAbort } from "@milo-quota/kubernetes/client/child-abort.ts";
import {
  type Call,
  ConnectionFailed,
  type Reply,
  type Transport,
} from "@milo-quota/kubernetes/client/transport/transport.ts";
import { resourceExpired, StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { refusalOf, replyTo, type Undone } from "./busy-server.ts";
import { Gate } from "./gate.ts";
import type { Life, SimulatedMachine } from "./machine.ts";
import { SeededRandom } from "./seeded-random.ts";
import type { SimulatedServer } from "./server.ts";
import { StreamWay } from "./stream-way.ts";
import { touchOf } from "./touch.ts";
import type { VirtualTime } from "./virtual-time.ts";
import type { Fate, Weather } from "./weather.ts";

export interface NetworkPorts {
  readonly time: VirtualTime;
  readonly weather: Weather;
  readonly seed: number;
  readonly server: () => SimulatedServer;
  /** Whether the server can be asked how far it is. */
  readonly tellsProgress: boolean;
  readonly note: (text: string) => void;
}

/** One end of a connection. */
interface Sender {
  readonly machine: SimulatedMachine;
  readonly life: Life;
  readonly random: SeededRandom;
}

/** How long a sender may wait for an answer that does not come. */
const patienceMs = { least: 5, most: 12_000 };
const slowMsMax = 6_000;
/** How late a request may arrive whose sender has given up on it. */
const lateMsMax = 33_000;

/** Between the machines and the API server: it delays, loses, and cuts. */
export class Network {
  readonly #ports: NetworkPorts;
  readonly #streams = new Map<string, Set<StreamWay>>();
  readonly #randoms = new Map<string, SeededRandom>();
  readonly #gates = new Map<string, Gate>();
  #touches = 0;

  constructor(ports: NetworkPorts) {
    this.#ports = ports;
  }

  /** The way to the server as a machine has it in one of its lives. */
  connect(machine: SimulatedMachine, life: Life): Transport {
    const sender = { machine, life, random: this.#randomOf(machine.name) };
    return {
      request: (call, signal) => {
        const serve: Question<Reply>["serve"] = (server, ended) => server.request(call, ended);
        return this.#ask(sender, { call, serve, refuse: replyTo }, signal);
      },
      stream: (call, sink, signal) => this.#stream(sender, { call, sink }, signal),
      ...(this.#ports.tellsProgress
        ? {
            progress: (call: Call, signal: AbortSignal) => {
              const serve: Question<string>["serve"] = (server, ended) => server.progress(call, ended);
              return this.#ask(sender, { call, serve, refuse: refusalOf }, signal);
            },
          }
        : {}),
      close: async () => undefined,
    };
  }

  /** For scenarios: requests of a machine that count wait until the gate is opened. One gate for each machine. */
  gate(machine: string, counts: (call: Call) => boolean): Gate {
    const gate = new Gate(counts);
    this.#gates.set(machine, gate);
    return gate;
  }

  /** Cuts all streams of a machine; what is on its way is lost. */
  cut({ name }: SimulatedMachine): void {
    for (const way of this.#streams.get(name) ?? []) way.cut(new Error("the stream was cut"));
  }

  /** Asks the server something, over a way on which much can go wrong. */
  async #ask<Answer>(sender: Sender, { call, serve, refuse }: Question<Answer>, signal: AbortSignal): Promise<Answer> {
    signal.throwIfAborted();
    const { machine, life, random } = sender;
    if (life.isOver || !machine.mayCall(call)) return never();
    const fate = this.#fateOf(sender, call);
    const mine = new ChildAbort(signal);
    const answered = new Promise<Answer>((resolve, reject) => {
      mine.signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      const hear = (afterMs: number, settle: () => void): void => {
        this.#ports.time.later(afterMs, () => machine.soon(life, settle));
      };
      const patience = (): number => random.between(patienceMs.least, patienceMs.most);
      this.#depart(sender, call, () => {
        if (isLost(fate)) hear(patience(), () => reject(new ConnectionFailed(call, fate)));
        if (fate === "unavailable" || fate === "busy") {
          hear(this.#latencyMs(random), () => resolve(refuse(fate)));
        } else if (fate !== "request lost") {
          const upMs = fate === "arrives late" ? random.between(0, lateMsMax) : this.#latencyMs(random);
          const done = (settle: () => void): void => {
            const downMs = fate === "answered slowly" ? random.between(50, slowMsMax) : this.#latencyMs(random);
            if (!isLost(fate)) hear(downMs, settle);
          };
          this.#arrive(upMs, { call, fate, serve }, (work) =>
            work.then(
              (answer) => done(() => resolve(answer)),
              (error: unknown) => done(() => reject(error)),
            ),
          );
        }
      });
    });
    return answered.finally(() => mine.release());
  }

  /** Nobody can call a request back: once sent, the server acts on it, whatever became of its sender. */
  #arrive<Answer>(
    upMs: number,
    { call, fate, serve }: Pick<Question<Answer>, "call" | "serve"> & { readonly fate: Fate },
    begun: (work: Promise<Answer>) => void,
  ): void {
    const { time, server } = this.#ports;
    const { signal } = new AbortController();
    time.later(upMs, () => {
      const before = fate === "overtaken" ? this.#touch(call, signal) : Promise.resolve();
      begun(before.then(() => serve(server(), signal)));
    });
  }

  async #stream(sender: Sender, { call, sink }: StreamCall, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { machine, life, random } = sender;
    if (life.isOver || !machine.mayCall(call)) return never();
    const fate = this.#fateOf(sender, call);
    if (fate === "expired") return this.#refuse(sender, new StatusError(resourceExpired("too old resource version")));
    if (fate !== "answered" && fate !== "repeated" && fate !== "overtaken" && fate !== "answered slowly") {
      return this.#refuse(sender, new ConnectionFailed(call, fate));
    }
    const { time, weather, server } = this.#ports;
    const asked = fate === "repeated" ? begunEarlier(call, random) : call;
    const way = new StreamWay({
      time,
      call,
      sink,
      latencyMs: () => this.#latencyMs(random),
      notBeforeMs: () => weather.stalledUntilMs(machine.name, call),
      soon: (arrived) => machine.soon(life, arrived),
    });
    const own = this.#streams.get(machine.name) ?? new Set();
    this.#streams.set(machine.name, own.add(way));
    const mine = new ChildAbort(signal);
    mine.signal.addEventListener("abort", () => way.leave(signal.reason), { once: true });
    this.#afterPause(sender, () => {
      way.open(this.#latencyMs(random), (sent, ended) => server().stream(asked, sent, ended));
    });
    return way.ended.finally(() => {
      mine.release();
      own.delete(way);
    });
  }

  /** The other side learns that a machine has crashed. */
  crashed({ name }: SimulatedMachine): void {
    for (const way of this.#streams.get(name) ?? []) way.abandon();
    this.#streams.delete(name);
  }

  #refuse({ machine, life, random }: Sender, error: Error): Promise<never> {
    return new Promise((_, reject) => {
      this.#ports.time.later(2 * this.#latencyMs(random), () => machine.soon(life, () => reject(error)));
    });
  }

  /** A machine may be paused by the very call that it makes: then what it sends is sent when it goes on. */
  #afterPause({ machine, life }: Sender, send: () => void): void {
    if (life.isOver || !machine.isPaused) send();
    else machine.soon(life, send);
  }

  #depart(sender: Sender, call: Call, send: () => void): void {
    this.#afterPause(sender, () => {
      const gate = this.#gates.get(sender.machine.name);
      if (gate === undefined) send();
      else gate.pass(call, send);
    });
  }

  #fateOf({ machine, random }: Sender, call: Call): Fate {
    const fate = this.#ports.weather.fateOf(machine.name, call, random);
    if (fate !== "answered") this.#ports.note(`${machine.name}: ${call.method} ${call.path}: ${fate}`);
    return fate;
  }

  async #touch(call: Call, signal: AbortSignal): Promise<void> {
    const touch = touchOf(call, String(this.#touches + 1));
    if (touch === undefined) return;
    this.#touches += 1;
    await this.#ports
      .server()
      .request(touch, signal)
      .catch(() => undefined);
  }

  #latencyMs(random: SeededRandom): number {
    return this.#ports.weather.latencyMs(random);
  }

  #randomOf(name: string): SeededRandom {
    const random = this.#randoms.get(name) ?? new SeededRandom(this.#ports.seed, `network of ${name}`);
    this.#randoms.set(name, random);
    return random;
  }
}

interface Question<Answer> {
  readonly call: Call;
  readonly serve: (server: SimulatedServer, signal: AbortSignal) => Promise<Answer>;
  /** What the server says when it does nothing at all. */
  readonly refuse: (fate: Undone) => Answer | Promise<Answer>;
}

interface StreamCall {
  readonly call: Call;
  readonly sink: Parameters<Transport["stream"]>[1];
}

function never<Value>(): Promise<Value> {
  return new Promise(() => undefined);
}

function isLost(fate: Fate): boolean {
  return fate === "request lost" || fate === "answer lost" || fate === "arrives late";
}

/** From a few revisions before the one that was asked for. */
function begunEarlier(call: Call, random: SeededRandom): Call {
  const query = new URLSearchParams(call.query);
  const from = Number(query.get("resourceVersion") ?? "");
  if (from > 0) query.set("resourceVersion", String(Math.max(1, from - random.between(1, 12))));
  return { ...call, query };
}
