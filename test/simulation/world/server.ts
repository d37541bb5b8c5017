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
import { isQuotaRelease } from "@milo-quota/quota/embedded/quota-release.ts";
import type { SimulatedDisk } from "./disk.ts";
import type { EmbeddedProcess } from "./embedded-process.ts";
import { definitionsFrom, resolvePlane } from "./layout.ts";
import type { Life, SimulatedMachine } from "./machine.ts";
import { ReadChecker } from "./read-checker.ts";
import type { AdmitHook, Host, RemoveHook } from "./world.ts";

const admin = { username: "admin", uid: "admin", groups: ["system:masters"], extra: {} };

export interface ServerOptions {
  readonly disk: SimulatedDisk;
  readonly limits: Partial<StoreLimits>;
  readonly admit: AdmitHook;
  readonly removing: RemoveHook;
  /** Ends the run with a violation. */
  readonly onFailure: (error: unknown) => void;
  readonly embedded: EmbeddedProcess;
  /** A failed append left the store unsure of what is durable, so the server must restart. */
  readonly onDiskFault: () => void;
}

/** The API server in one incarnation. */
interface Serving {
  readonly life: Life;
  readonly transport: Transport;
  /** Fail the requests in flight when the server crashes. */
  readonly cuts: Set<(error: Error) => void>;
}

/** The API server on a separate machine, with a disk that survives crashes. */
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

  /** Rejects if the server is down or crashes before it answers. */
  request(call: Call, signal: AbortSignal): Promise<Reply> {
    return this.#serve(call, (transport) => transport.request(call, signal));
  }

  stream(call: Call, sink: LineSink, signal: AbortSignal): Promise<void> {
    return this.#serve(call, (transport) => transport.stream(call, sink, signal));
  }

  progress(call: Call, signal: AbortSignal): Promise<string> {
    return this.#serve(
      call,
      (transport) => transport.progress?.(call, signal) ?? Promise.reject(new Error("progress is not supported")),
    );
  }

  /** To be called after a crash of the machine. */
  crashed(): void {
    const cuts = this.#serving?.cuts ?? [];
    this.#serving = undefined;
    for (const cut of cuts) cut(new Error("the server crashed"));
  }

  async #start(host: Host): Promise<void> {
    const { machine } = this;
    const life = machine.life as Life;
    const user = {
      get isOver() {
        return life.isOver;
      },
      mayCall: () => machine.mayCall("disk") && !life.isOver,
      deliver: (call: () => void) => machine.deliver(life, call),
    };
    const report = (error: unknown): void => host.report("apiserver", error);
    const { random, clock } = host;
    const server = await startEmbedded({
      log: this.#options.disk.open(user),
      clock,
      random: { fraction: () => random.fraction(), uuid: () => random.uuid() },
      tokens: [],
      plugins: [
        { name: "simulated admission", validate: this.#options.admit, companionsOfRemoval: this.#options.removing },
      ],
      resolvePlane,
      definitionsFrom,
      report,
      isRelease: isQuotaRelease,
      limits: { store: this.#options.limits },
    });
    if (life.isOver) return;
    this.#superviseStore(server, host);
    const readers = new ReadChecker(this.#options.disk.truth, this.#options.onFailure);
    readers.watch(server.registry.store);
    const handle = readers.wrap((request) => server.api.handle(request));
    await this.#options.embedded.start({ server, handle }, machine, host);
    if (life.isOver) return;
    this.#serving = { life, transport: directTransport(handle, admin), cuts: new Set() };
  }

  /** Restarts a server whose store has failed, as a supervisor would. */
  #superviseStore(server: EmbeddedServer, host: Host): void {
    host.clock.after(1_000, () => {
      if (server.registry.store.writeFailure === undefined) this.#superviseStore(server, host);
      else this.#options.onDiskFault();
    });
  }

  #serve<Result>(call: Call, work: (transport: Transport) => Promise<Result>): Promise<Result> {
    const serving = this.#serving;
    if (serving === undefined) return Promise.reject(new ConnectionFailed(call, "ECONNREFUSED"));
    return new Promise((resolve, reject) => {
      const cut = (error: Error): void => reject(new ConnectionFailed(call, error));
      serving.cuts.add(cut);
      // A paused server takes no requests. Work that it has begun continues up to its next call.
      this.machine.deliver(serving.life, () => {
        work(serving.transport)
          .then(resolve, reject)
          .finally(() => serving.cuts.delete(cut));
      });
    });
  }
}
