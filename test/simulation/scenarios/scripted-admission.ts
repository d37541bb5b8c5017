import { failure } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { KubernetesObject } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { AdmissionWebhook } from "../actors/admission-webhook.ts";
import { configMaps } from "../actors/clients.ts";
import type { WebhookRequest, WebhookResponse } from "../actors/remote-admission.ts";
import type { AdmissionHistory } from "../invariants/admission-history.ts";
import type { AdmitHook, World } from "../world/world.ts";

/** Delay between admission and storage of an object, or its rejection by another plug-in. */
export type StoreOutcome = number | "rejected";

/** The name seeds the random streams of the machine. */
export const machineName = "door";

/** Admission of ConfigMaps whose time of storage is set by the scenario. */
export class ScriptedAdmission {
  readonly #world: World;
  readonly #history: AdmissionHistory;
  readonly #outcomes = new Map<string, StoreOutcome[]>();
  #webhook: AdmissionWebhook | undefined;

  constructor(world: World, history: AdmissionHistory) {
    this.#world = world;
    this.#history = history;
    world.machine(machineName).run((host) => {
      this.#webhook = new AdmissionWebhook(host);
    }, "lasting");
    world.setAdmission(this.#admit);
  }

  /** Sets the outcomes of the next creates of a name, in order. Further creates are stored immediately. */
  plan(name: string, ...outcomes: readonly StoreOutcome[]): void {
    this.#outcomes.set(name, [...outcomes]);
  }

  readonly #admit: AdmitHook = async ({ kind, operation, plane, object }) => {
    const bypassesAdmission = object?.metadata.labels?.["bypass"] !== undefined;
    if (kind.plural !== "configmaps" || operation !== "CREATE" || bypassesAdmission) return { allowed: true };
    const seen = object as unknown as JsonObject & KubernetesObject;
    const { uid = "", name = "" } = seen.metadata;
    const outcome = this.#outcomes.get(name)?.shift() ?? 0;
    const startedMs = this.#world.nowMs;
    const answer = await this.#callWebhook({ uid, plane, object: seen, kind: "ConfigMap", type: configMaps });
    if (answer.answer === "reject") return { allowed: false, status: answer.status };
    this.#history.objectAdmitted(uid, answer.claims, startedMs);
    if (outcome !== "rejected") {
      await new Promise<void>((resolve) => this.#world.later(outcome, resolve));
      return { allowed: true, onSettled: () => this.#history.objectSettled(uid) };
    }
    this.#history.objectSettled(uid);
    return { allowed: false, status: failure("Forbidden", "rejected by another plug-in") };
  };

  #callWebhook(request: WebhookRequest): Promise<WebhookResponse> {
    return new Promise((resolve, reject) => {
      this.#world.machine(machineName).run(() => {
        const answer = this.#webhook?.answer(request) ?? Promise.reject(new Error("admission has not started"));
        answer.then(resolve, reject);
      }, "once");
    });
  }
}
