import type { EmbeddedServer } from "@milo-quota/apiserver/embedded-server.ts";
import type { AnswerRequest } from "@milo-quota/kubernetes/client/transport/api-request.ts";
import { directTransport } from "@milo-quota/kubernetes/client/transport/direct-transport.ts";
import type { Call, Transport } from "@milo-quota/kubernetes/client/transport/transport.ts";
import { systemUser } from "@milo-quota/quota/embedded/quota-system.ts";
import { InnerWay } from "./inner-way.ts";
import type { Life, SimulatedMachine } from "./machine.ts";
import type { SeededRandom } from "./seeded-random.ts";
import { touchOf } from "./touch.ts";
import type { Weather } from "./weather.ts";
import type { Host, Lodger } from "./world.ts";

const admin = { username: "admin", uid: "admin", groups: ["system:masters"], extra: {} };
const { signal } = new AbortController();

interface Begun {
  readonly server: EmbeddedServer;
  /** The way into it. */
  readonly handle: AnswerRequest;
}

/** Room for a program in the process of the server: it begins with each life of the server, and ends with it. */
export class Lodging {
  lodger: Lodger | undefined;
  readonly #weather: Weather;
  readonly #random: SeededRandom;
  #touches = 0;

  constructor(weather: Weather, random: SeededRandom) {
    this.#weather = weather;
    this.#random = random;
  }

  /** Settles when the lodger is ready, if there is one. */
  async begin({ server, handle }: Begun, machine: SimulatedMachine, host: Host): Promise<void> {
    await this.lodger?.(inside(host, this.#wayTo(handle, machine, host.incarnation)), server);
  }

  #wayTo(handle: AnswerRequest, machine: SimulatedMachine, incarnation: string): Transport {
    const others = directTransport(handle, admin);
    return new InnerWay({
      machine,
      life: machine.life as Life,
      direct: directTransport(handle, systemUser(incarnation)),
      fateOf: (call) => this.#weather.fateOf(machine.name, call, this.#random),
      touch: (call) => this.#touch(call, others),
    });
  }

  /** The call that is overtaken finds the change there, or on its way to the disk. */
  async #touch(call: Call, others: Transport): Promise<void> {
    const touch = touchOf(call, `${this.#touches + 1}`);
    if (touch === undefined) return;
    this.#touches += 1;
    const touched = others.request(touch, signal).catch(() => undefined);
    if (this.#random.chance(0.5)) await touched;
  }
}

/** The same machine, to those who need not go over the network. */
function inside(host: Host, transport: Transport): Host {
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
