import { ChildAbortController } from "@milo-quota/kubernetes/client/child-abort-controller.ts";
import {
  type Call,
  ConnectionFailed,
  type Reply,
  type Transport,
} from "@milo-quota/kubernetes/client/transport/transport.ts";
import { resourceExpired, StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { concurrentEdit } from "./concurrent-edit.ts";
import { Gate } from "./gate.ts";
import type { Life, SimulatedMachine } from "./machine.ts";
import type { NetworkConditions, RequestFate } from "./network-conditions.ts";
import { SeededRandom } from "./seeded-random.ts";
import type { SimulatedServer } from "./server.ts";
import { errorRejection, errorReply, type ServerError } from "./server-errors.ts";
import { StreamConnection } from "./stream-connection.ts";
import type { VirtualTime } from "./virtual-time.ts";

export interface NetworkDeps {
  readonly time: VirtualTime;
  readonly conditions: NetworkConditions;
  readonly seed: number;
  readonly server: () => SimulatedServer;
  /** Whether the server offers progress requests. */
  readonly servesProgress: boolean;
  readonly note: (text: string) => void;
}

/** One end of a connection. */
interface Sender {
  readonly machine: SimulatedMachine;
  readonly life: Life;
  readonly random: SeededRandom;
}

/** Client timeout for a lost request or response. */
const timeoutMs = { least: 5, most: 12_000 };
const slowMsMax = 6_000;
/** A request may arrive this long after its sender has given up. */
const lateMsMax = 33_000;

/** The network between machines and the API server. It delays and loses messages and cuts streams. */
export class Network {
  readonly #deps: NetworkDeps;
  readonly #streams = new Map<string, Set<StreamConnection>>();
  readonly #randoms = new Map<string, SeededRandom>();
  readonly #gates = new Map<string, Gate>();
  #edits = 0;

  constructor(deps: NetworkDeps) {
    this.#deps = deps;
  }

  /** The transport of one incarnation of a machine. */
  connect(machine: SimulatedMachine, life: Life): Transport {
    const sender = { machine, life, random: this.#randomOf(machine.name) };
    return {
      request: (call, signal) => {
        const serve: Exchange<Reply>["serve"] = (server, ended) => server.request(call, ended);
        return this.#send(sender, { call, serve, errorResult: errorReply }, signal);
      },
      stream: (call, sink, signal) => this.#stream(sender, { call, sink }, signal),
      ...(this.#deps.servesProgress
        ? {
            progress: (call: Call, signal: AbortSignal) => {
              const serve: Exchange<string>["serve"] = (server, ended) => server.progress(call, ended);
              return this.#send(sender, { call, serve, errorResult: errorRejection }, signal);
            },
          }
        : {}),
      close: async () => undefined,
    };
  }

  /** For scenarios: matching requests of a machine wait until the gate is opened. At most one gate per machine. */
  gate(machine: string, matches: (call: Call) => boolean): Gate {
    const gate = new Gate(matches);
    this.#gates.set(machine, gate);
    return gate;
  }

  /** Cuts all streams of a machine. Lines in transit are lost. */
  cut({ name }: SimulatedMachine): void {
    for (const connection of this.#streams.get(name) ?? []) connection.cut(new Error("the stream was cut"));
  }

  /** Sends a request to the server, subject to the fate that the network conditions draw for it. */
  async #send<Answer>(
    sender: Sender,
    { call, serve, errorResult }: Exchange<Answer>,
    signal: AbortSignal,
  ): Promise<Answer> {
    signal.throwIfAborted();
    const { machine, life, random } = sender;
    if (life.isOver || !machine.mayCall(call)) return never();
    const fate = this.#fateOf(sender, call);
    const mine = new ChildAbortController(signal);
    const answered = new Promise<Answer>((resolve, reject) => {
      mine.signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      const receive = (afterMs: number, settle: () => void): void => {
        this.#deps.time.later(afterMs, () => machine.deliver(life, settle));
      };
      const drawTimeoutMs = (): number => random.between(timeoutMs.least, timeoutMs.most);
      this.#depart(sender, call, () => {
        if (isLost(fate)) receive(drawTimeoutMs(), () => reject(new ConnectionFailed(call, fate)));
        if (fate === "unavailable" || fate === "busy") {
          receive(this.#latencyMs(random), () => resolve(errorResult(fate)));
        } else if (fate !== "request lost") {
          const upMs = fate === "arrives late" ? random.between(0, lateMsMax) : this.#latencyMs(random);
          const done = (settle: () => void): void => {
            const downMs = fate === "answered slowly" ? random.between(50, slowMsMax) : this.#latencyMs(random);
            if (!isLost(fate)) receive(downMs, settle);
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

  /** A sent request cannot be recalled: the server acts on it even if its sender has crashed or given up. */
  #arrive<Answer>(
    upMs: number,
    { call, fate, serve }: Pick<Exchange<Answer>, "call" | "serve"> & { readonly fate: RequestFate },
    begun: (work: Promise<Answer>) => void,
  ): void {
    const { time, server } = this.#deps;
    const { signal } = new AbortController();
    time.later(upMs, () => {
      const before = fate === "concurrent edit" ? this.#edit(call, signal) : Promise.resolve();
      begun(before.then(() => serve(server(), signal)));
    });
  }

  async #stream(sender: Sender, { call, sink }: StreamCall, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { machine, life, random } = sender;
    if (life.isOver || !machine.mayCall(call)) return never();
    const fate = this.#fateOf(sender, call);
    if (fate === "expired")
      return this.#failStream(sender, new StatusError(resourceExpired("too old resource version")));
    if (fate !== "answered" && fate !== "repeated" && fate !== "concurrent edit" && fate !== "answered slowly") {
      return this.#failStream(sender, new ConnectionFailed(call, fate));
    }
    const { time, conditions, server } = this.#deps;
    const sent = fate === "repeated" ? startedEarlier(call, random) : call;
    const connection = new StreamConnection({
      time,
      call,
      sink,
      latencyMs: () => this.#latencyMs(random),
      notBeforeMs: () => conditions.stalledUntilMs(machine.name, call),
      deliver: (arrived) => machine.deliver(life, arrived),
    });
    const own = this.#streams.get(machine.name) ?? new Set();
    this.#streams.set(machine.name, own.add(connection));
    const mine = new ChildAbortController(signal);
    mine.signal.addEventListener("abort", () => connection.leave(signal.reason), { once: true });
    this.#afterPause(sender, () => {
      connection.open(this.#latencyMs(random), (lines, ended) => server().stream(sent, lines, ended));
    });
    return connection.ended.finally(() => {
      mine.release();
      own.delete(connection);
    });
  }

  /** To be called after a crash: the server notices that the streams of the machine are closed. */
  crashed({ name }: SimulatedMachine): void {
    for (const connection of this.#streams.get(name) ?? []) connection.abandon();
    this.#streams.delete(name);
  }

  #failStream({ machine, life, random }: Sender, error: Error): Promise<never> {
    return new Promise((_, reject) => {
      this.#deps.time.later(2 * this.#latencyMs(random), () => machine.deliver(life, () => reject(error)));
    });
  }

  /** The call itself may have triggered a pause: then the request is sent after the pause. */
  #afterPause({ machine, life }: Sender, send: () => void): void {
    if (life.isOver || !machine.isPaused) send();
    else machine.deliver(life, send);
  }

  #depart(sender: Sender, call: Call, send: () => void): void {
    this.#afterPause(sender, () => {
      const gate = this.#gates.get(sender.machine.name);
      if (gate === undefined) send();
      else gate.pass(call, send);
    });
  }

  #fateOf({ machine, random }: Sender, call: Call): RequestFate {
    const fate = this.#deps.conditions.fateOf(machine.name, call, random);
    if (fate !== "answered") this.#deps.note(`${machine.name}: ${call.method} ${call.path}: ${fate}`);
    return fate;
  }

  async #edit(call: Call, signal: AbortSignal): Promise<void> {
    const edit = concurrentEdit(call, String(this.#edits + 1));
    if (edit === undefined) return;
    this.#edits += 1;
    await this.#deps
      .server()
      .request(edit, signal)
      .catch(() => undefined);
  }

  #latencyMs(random: SeededRandom): number {
    return this.#deps.conditions.latencyMs(random);
  }

  #randomOf(name: string): SeededRandom {
    const random = this.#randoms.get(name) ?? new SeededRandom(this.#deps.seed, `network of ${name}`);
    this.#randoms.set(name, random);
    return random;
  }
}

interface Exchange<Answer> {
  readonly call: Call;
  readonly serve: (server: SimulatedServer, signal: AbortSignal) => Promise<Answer>;
  /** The result of a request that the server rejects without acting on it. */
  readonly errorResult: (fate: ServerError) => Answer | Promise<Answer>;
}

interface StreamCall {
  readonly call: Call;
  readonly sink: Parameters<Transport["stream"]>[1];
}

function never<Value>(): Promise<Value> {
  return new Promise(() => undefined);
}

function isLost(fate: RequestFate): boolean {
  return fate === "request lost" || fate === "answer lost" || fate === "arrives late";
}

/** Starts the watch a few revisions too early, so that events repeat. */
function startedEarlier(call: Call, random: SeededRandom): Call {
  const query = new URLSearchParams(call.query);
  const from = Number(query.get("resourceVersion") ?? "");
  if (from > 0) query.set("resourceVersion", String(Math.max(1, from - random.between(1, 12))));
  return { ...call, query };
}
