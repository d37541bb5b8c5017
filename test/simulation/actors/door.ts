import type { AdmissionRequest, Verdict } from "@milo-quota/apiserver/registry/admission/admission-plugin.ts";
import type { ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import { type ApiStatus, failure } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { KubernetesObject } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { AdmissionBook, AdmittingClaim } from "../invariants/admission-book.ts";
import type { SeededRandom } from "../world/seeded-random.ts";
import type { Door, Host, World } from "../world/world.ts";
import { attempt } from "./clients.ts";
import { Doorkeeper } from "./doorkeeper.ts";
import { guardedType } from "./guarded-kinds.ts";

/** An object that the API server would store. */
export interface DoorRequest {
  /** Of the object. */
  readonly uid: string;
  /** As it is stored now, if it is. */
  readonly oldObject?: JsonObject;
  readonly plane: string;
  readonly object: JsonObject & KubernetesObject;
  readonly kind: string;
  readonly type: ResourceType;
}

export type DoorAnswer =
  | {
      readonly answer: "allow";
      readonly claims: readonly AdmittingClaim[];
      /** What to do when the object is not stored after all, on the machine that answered. */
      readonly notStored: () => void;
      /** The run of the machine that answered. */
      readonly incarnation: string;
    }
  | { readonly answer: "refuse"; readonly status: ApiStatus };

type Allowed = Extract<DoorAnswer, { answer: "allow" }>;

export const doorMachines = ["door-1", "door-2"] as const;

/** How long the API server waits for an answer. */
const answerMsMax = 10_000;
/** How long after its beginning a create is still finished. What the disk takes comes on top. */
const finishMsMax = 22_000;

/**
 * The way from the API server to those who decide, over a network of its own: requests and answers get lost, and what
 * was let in is stored late, or not at all.
 */
export class AdmissionWay {
  readonly #world: World;
  readonly #book: AdmissionBook;
  readonly #random: SeededRandom;
  readonly #tellsOutcome: boolean;
  readonly #keepers = new Map<string, Doorkeeper>();
  #requests = 0;

  constructor(world: World, book: AdmissionBook, tellsOutcome: boolean) {
    this.#world = world;
    this.#book = book;
    this.#random = world.random("door");
    this.#tellsOutcome = tellsOutcome;
    for (const name of doorMachines) {
      world.machine(name).run((host) => {
        this.#keepers.set(host.incarnation, new Doorkeeper(host));
      }, "lasting");
    }
  }

  get guard(): Door {
    return async (request) => {
      const type = guardedType(request);
      return type === undefined ? { allowed: true } : this.#admit(requestOf(request, type));
    };
  }

  async #admit(request: DoorRequest): Promise<Verdict> {
    const begunMs = this.#world.nowMs;
    const machine = this.#random.pick(doorMachines);
    const answer = await this.#ask(machine, request);
    if (answer.answer === "refuse") {
      this.#book.refused();
      return { allowed: false, status: answer.status };
    }
    if (request.oldObject === undefined) this.#book.allowed(request.uid, answer.claims, begunMs);
    else this.#book.changeAllowed(request.uid, answer.claims);
    await this.#pass(this.#lateMs());
    if (this.#world.nowMs - begunMs > finishMsMax) return this.#drop(request, "the request took too long");
    if (!this.#world.isCalm && this.#random.chance(0.05)) {
      if (this.#tellsOutcome) this.#tellNotStored(machine, answer);
      return this.#drop(request, "another plug-in refuses");
    }
    return {
      allowed: true,
      settled: ({ stored }) => {
        this.#book.landedOrDropped(request.uid);
        if (!stored && this.#tellsOutcome) this.#tellNotStored(machine, answer);
      },
    };
  }

  #drop({ uid }: DoorRequest, why: string): Verdict {
    this.#book.landedOrDropped(uid);
    return { allowed: false, status: failure("Timeout", why) };
  }

  /** What a machine answers; a refusal when nothing comes back in time. */
  #ask(name: string, request: DoorRequest): Promise<DoorAnswer> {
    return new Promise((resolve) => {
      this.#world.later(answerMsMax, () => {
        resolve({ answer: "refuse", status: failure("Timeout", "the door does not answer") });
      });
      if (this.#isLost()) return;
      this.#world.later(this.#wayMs(), () => {
        this.#world.machine(name).run((host) => this.#serve(host, request, resolve), "once");
      });
    });
  }

  #serve(host: Host, request: DoorRequest, resolve: (answer: DoorAnswer) => void): void {
    const keeper = this.#keepers.get(host.incarnation);
    if (keeper === undefined) throw new Error(`${host.incarnation} has no doorkeeper`);
    const { name = "" } = request.object.metadata;
    const what = `${request.plane}/${request.type.plural}/${name} (${request.uid})`;
    this.#requests += 1;
    const id = `request ${this.#requests}`;
    this.#book.asked({ id, what, isAttended: () => host.isAlive });
    attempt(host, `door for ${what}`, async () => {
      const answer = await keeper.answer(request);
      if (!host.isAlive) return;
      this.#book.answered(id);
      this.#world.note(`${host.name}: ${answer.answer} ${what}`);
      if (!this.#isLost()) this.#world.later(this.#wayMs(), () => resolve(answer));
    });
  }

  /** Where the API server is in one process with the door, it says so when an object was not stored. */
  #tellNotStored(name: string, { incarnation, notStored }: Allowed): void {
    this.#world.machine(name).run((host) => {
      if (host.incarnation === incarnation) notStored();
    }, "once");
  }

  #isLost(): boolean {
    return !this.#world.isCalm && this.#random.chance(0.03);
  }

  #wayMs(): number {
    return this.#random.chance(0.05) ? this.#random.between(50, 2_000) : this.#random.between(1, 5);
  }

  #lateMs(): number {
    return this.#random.chance(0.12) ? this.#random.between(500, finishMsMax) : this.#random.between(0, 3);
  }

  #pass(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#world.later(ms, resolve);
    });
  }
}

function requestOf({ plane, object, oldObject, kind }: AdmissionRequest, type: ResourceType): DoorRequest {
  const seen = object as unknown as JsonObject & KubernetesObject;
  const old = oldObject === undefined ? {} : { oldObject: oldObject as unknown as JsonObject };
  return { uid: seen.metadata.uid ?? "", ...old, plane, object: seen, kind: kind.kind, type };
}
