import { type EmbeddedServer, startEmbedded } from "@milo-quota/apiserver/embedded-server.ts";
import type { StoreLimits } from "@milo-quota/apiserver/storage/store-limits.ts";
import { directTransport } from "@milo-quota/kubernetes/client/transport/direct-transport.ts";
import {
  type Call,
  ConnectionFailed,
  type LineSink,
  type Reply,
  type Transport,
} from "@milo-quota/kubernetes/client/transport/transport.ts";
import { CheckedReaders } from "./checked-readers.ts";
import type { SimulatedDisk } from "./disk.ts";
import { definitionsFrom, resolvePlane } from "./layout.ts";
import type { Lodging } from "./lodging.ts";
import type { Life, SimulatedMachine } from "./machine.ts";
import type { Door, Host, Removing } from "./world.ts";

const admin = { username: "admin", uid: "admin", groups: ["system:masters"], extra: {} };

export interface ServerOptions {
  readonly disk: SimulatedDisk;
  readonly limits: Partial<StoreLimits>;
  readonly door: Door;
  readonly removing: Removing;
  /** What readers of the server must not see ends the run. */
  readonly failed: (error: unknown) => void;
  readonly lodging: Lodging;
  /** Its disk left it not knowing what is written: nothing but a restart helps. */
  readonly broken: () => void;
}

/** The API server in one of its lives. */
interface Serving {
  readonly life: Life;
  readonly transport: Transport;
  /** Ends everything under way when the server crashes. */
  readonly cuts: Set<(error: Error) => void>;
}

/** The embedded API server on a machine of its own, with a disk that outlives it. */
export class SimulatedServer {
  readonly machine: SimulatedMachine;
  readonly #options: ServerOptions;
  #serving: Serving | undefined;

  constructor(machine: SimulatedMachine, options: ServerOptions) {
    this.machine = machine;
    this.#options = options;
    machine.run((host) => void this.#start(host), "lasting");
  }

  get isServing(): boolean {
    return this.#serving !== undefined && !this.#serving.life.isOver;
  }

  /** What the server answers, whenever it does. Rejects when it is down, or crashes meanwhile. */
  request(call: Call, signal: AbortSignal): Promise<Reply> {
    return this.#serve(call, (transport) => transport.request(call, signal));
  }

  stream(call: Call, sink: LineSink, signal: AbortSignal): Promise<void> {
    return this.#serve(call, (transport) => transport.stream(call, sink, signal));
  }

  progress(call: Call, signal: AbortSignal): Promise<string> {
    return this.#serve(call, (transport) => transport.progress?.(call, signal) ?? Promise.reject(new Error("unasked")));
  }

  /** To be called when the machine has crashed. */
  crashed(): void {
    const cuts = this.#serving?.cuts ?? [];
    this.#serving = undefined;
    for (const cut of cuts) cut(new Error("the server is gone"));
  }

  async #start(host: Host): Promise<void> {
    const { machine } = this;
    const life = machine.life as Life;
    const user = {
      get isOver() {
        return life.isOver;
      },
      mayCall: () => machine.mayCall("disk") && !life.isOver,
      soon: (call: () => void) => machine.soon(life, call),
    };
    const report = (error: unknown): void => host.report("apiserver", error);
    const { random, clock } = host;
    const server = await startEmbedded({
      log: this.#options.disk.open(user),
      clock,
      random: { fraction: () => random.fraction(), uuid: () => random.uuid() },
      tokens: [],
      plugins: [{ name: "door", validate: this.#options.door, removing: this.#options.removing }],
      resolvePlane,
      definitionsFrom,
      report,
      limits: { store: this.#options.limits },
    });
    if (life.isOver) return;
    this.#watchOver(server, host);
    const readers = new CheckedReaders(this.#options.disk.truth, this.#options.failed);
    readers.watch(server.registry.store);
    const handle = readers.over((request) => server.api.handle(request));
    await this.#options.lodging.begin({ server, handle }, machine, host);
    if (life.isOver) return;
    this.#serving = { life, transport: directTransport(handle, admin), cuts: new Set() };
  }

  /** Somebody restarts a server whose disk failed it. */
  #watchOver(server: EmbeddedServer, host: Host): void {
    host.clock.after(1_000, () => {
      if (server.registry.store.fault === undefined) this.#watchOver(server, host);
      else this.#options.broken();
    });
  }

  #serve<Result>(call: Call, work: (transport: Transport) => Promise<Result>): Promise<Result> {
    const serving = this.#serving;
    if (serving === undefined) return Promise.reject(new ConnectionFailed(call, "ECONNREFUSED"));
    return new Promise((resolve, reject) => {
      const cut = (error: Error): void => reject(new ConnectionFailed(call, error));
      serving.cuts.add(cut);
      // A server that stands still takes nothing in; what it has begun goes on by itself, up to its next call.
      this.machine.soon(serving.life, () => {
        work(serving.transport)
          .then(resolve, reject)
          .finally(() => serving.cuts.delete(cut));
      });
    });
  }
}
