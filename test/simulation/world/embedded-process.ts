import type { EmbeddedServer } from "@milo-quota/apiserver/embedded-server.ts";
import type { HandleRequest } from "@milo-quota/kubernetes/client/transport/api-request.ts";
import { directTransport } from "@milo-quota/kubernetes/client/transport/direct-transport.ts";
import type { Call, Transport } from "@milo-quota/kubernetes/client/transport/transport.ts";
import { systemUser } from "@milo-quota/quota/embedded/quota-system.ts";
import { concurrentEdit } from "./concurrent-edit.ts";
import { InProcessTransport } from "./in-process-transport.ts";
import type { Life, SimulatedMachine } from "./machine.ts";
import type { NetworkConditions } from "./network-conditions.ts";
import type { SeededRandom } from "./seeded-random.ts";
import type { EmbeddedProgram, Host } from "./world.ts";

const admin = { username: "admin", uid: "admin", groups: ["system:masters"], extra: {} };
const { signal } = new AbortController();

interface StartedServer {
  readonly server: EmbeddedServer;
  /** Its request handler. */
  readonly handle: HandleRequest;
}

/** Runs a program in the process of the API server: the program starts and crashes with the server. */
export class EmbeddedProcess {
  program: EmbeddedProgram | undefined;
  readonly #conditions: NetworkConditions;
  readonly #random: SeededRandom;
  #edits = 0;

  constructor(conditions: NetworkConditions, random: SeededRandom) {
    this.#conditions = conditions;
    this.#random = random;
  }

  /** Settles when the program, if there is one, is ready. */
  async start({ server, handle }: StartedServer, machine: SimulatedMachine, host: Host): Promise<void> {
    await this.program?.(withTransport(host, this.#transportTo(handle, machine, host.incarnation)), server);
  }

  #transportTo(handle: HandleRequest, machine: SimulatedMachine, incarnation: string): Transport {
    const others = directTransport(handle, admin);
    return new InProcessTransport({
      machine,
      life: machine.life as Life,
      direct: directTransport(handle, systemUser(incarnation)),
      fateOf: (call) => this.#conditions.fateOf(machine.name, call, this.#random),
      edit: (call) => this.#edit(call, others),
    });
  }

  /** The original call finds the edit applied, or queued for the disk. */
  async #edit(call: Call, others: Transport): Promise<void> {
    const edit = concurrentEdit(call, `${this.#edits + 1}`);
    if (edit === undefined) return;
    this.#edits += 1;
    const edited = others.request(edit, signal).catch(() => undefined);
    if (this.#random.chance(0.5)) await edited;
  }
}

/** The same machine with another transport. */
function withTransport(host: Host, transport: Transport): Host {
  const { name, clock, elapsedMs, random, incarnation, report } = host;
  return {
    name,
    transport,
    clock,
    elapsedMs,
    random,
    incarnation,
    report,
    get isAlive() {
      return host.isAlive;
    },
  };
}
