import { failure } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { KubernetesObject } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { configMaps } from "../actors/clients.ts";
import type { DoorAnswer, DoorRequest } from "../actors/door.ts";
import { Doorkeeper } from "../actors/doorkeeper.ts";
import type { AdmissionBook } from "../invariants/admission-book.ts";
import type { Door, World } from "../world/world.ts";

/** How long an object is on its way after it was let in; or what it comes to instead. */
export type Landing = number | "refused by another";

const doorName = "door";

/** Decides about ConfigMaps as usual; when they are stored is up to the scenario. */
export class ScriptedDoor {
  readonly #world: World;
  readonly #book: AdmissionBook;
  readonly #landings = new Map<string, Landing[]>();
  #keeper: Doorkeeper | undefined;

  constructor(world: World, book: AdmissionBook) {
    this.#world = world;
    this.#book = book;
    world.machine(doorName).run((host) => {
      this.#keeper = new Doorkeeper(host);
    }, "lasting");
    world.guard(this.#guard);
  }

  /** What becomes of the next creates under a name, one after the other; those after these are stored at once. */
  plan(name: string, ...landings: readonly Landing[]): void {
    this.#landings.set(name, [...landings]);
  }

  readonly #guard: Door = async ({ kind, operation, plane, object }) => {
    const isBypassing = object?.metadata.labels?.["bypass"] !== undefined;
    if (kind.plural !== "configmaps" || operation !== "CREATE" || isBypassing) return { allowed: true };
    const seen = object as unknown as JsonObject & KubernetesObject;
    const { uid = "", name = "" } = seen.metadata;
    const landing = this.#landings.get(name)?.shift() ?? 0;
    const begunMs = this.#world.nowMs;
    const answer = await this.#ask({ uid, plane, object: seen, kind: "ConfigMap", type: configMaps });
    if (answer.answer === "refuse") return { allowed: false, status: answer.status };
    this.#book.allowed(uid, answer.claims, begunMs);
    if (landing !== "refused by another") {
      await new Promise<void>((resolve) => this.#world.later(landing, resolve));
      return { allowed: true, settled: () => this.#book.landedOrDropped(uid) };
    }
    this.#book.landedOrDropped(uid);
    return { allowed: false, status: failure("Forbidden", "another plug-in refuses") };
  };

  #ask(request: DoorRequest): Promise<DoorAnswer> {
    return new Promise((resolve, reject) => {
      this.#world.machine(doorName).run(() => {
        const answer = this.#keeper?.answer(request) ?? Promise.reject(new Error("the door is not open yet"));
        answer.then(resolve, reject);
      }, "once");
    });
  }
}
