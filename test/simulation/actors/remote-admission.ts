import type { AdmissionRequest, Verdict } from "@milo-quota/apiserver/registry/admission/admission-plugin.ts";
import type { ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import { type ApiStatus, failure } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { KubernetesObject } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { AdmissionHistory, AdmittingClaim } from "../invariants/admission-history.ts";
import type { SeededRandom } from "../world/seeded-random.ts";
import type { AdmitHook, Host, World } from "../world/world.ts";
import { AdmissionWebhook } from "./admission-webhook.ts";
import { runReportingFailure } from "./clients.ts";
import { governedType } from "./governed-kinds.ts";

/** A create or update that the API server asks a webhook about. */
export interface WebhookRequest {
  /** UID of the object. */
  readonly uid: string;
  /** The stored object, for an update. */
  readonly oldObject?: JsonObject;
  readonly plane: string;
  readonly object: JsonObject & KubernetesObject;
  readonly kind: string;
  readonly type: ResourceType;
}

export type WebhookResponse =
  | {
      readonly answer: "allow";
      readonly claims: readonly AdmittingClaim[];
      /** To be called on the machine that answered if the object is not stored after all. */
      readonly notStored: () => void;
      /** Incarnation of the machine that answered. */
      readonly incarnation: string;
    }
  | { readonly answer: "reject"; readonly status: ApiStatus };

type Allowed = Extract<WebhookResponse, { answer: "allow" }>;

/** Machine names seed the random streams of machines: renaming one changes all runs. */
export const webhookMachines = ["door-1", "door-2"] as const;

/** Timeout of a webhook request. */
const answerMsMax = 10_000;
/** Timeout of the whole create, without the time that the disk takes. */
const finishMsMax = 22_000;

/**
 * Admission webhooks that the API server calls over the network: requests and responses get lost, and an admitted object
 * is stored late or not at all.
 */
export class RemoteAdmission {
  readonly #world: World;
  readonly #history: AdmissionHistory;
  readonly #random: SeededRandom;
  readonly #reportsOutcome: boolean;
  readonly #webhooks = new Map<string, AdmissionWebhook>();
  #requests = 0;

  constructor(world: World, history: AdmissionHistory, reportsOutcome: boolean) {
    this.#world = world;
    this.#history = history;
    this.#random = world.random("door");
    this.#reportsOutcome = reportsOutcome;
    for (const name of webhookMachines) {
      world.machine(name).run((host) => {
        this.#webhooks.set(host.incarnation, new AdmissionWebhook(host));
      }, "lasting");
    }
  }

  get admit(): AdmitHook {
    return async (request) => {
      const type = governedType(request);
      return type === undefined ? { allowed: true } : this.#admit(requestOf(request, type));
    };
  }

  async #admit(request: WebhookRequest): Promise<Verdict> {
    const startedMs = this.#world.nowMs;
    const machine = this.#random.pick(webhookMachines);
    const answer = await this.#callWebhook(machine, request);
    if (answer.answer === "reject") {
      return { allowed: false, status: answer.status };
    }
    if (request.oldObject === undefined) this.#history.objectAdmitted(request.uid, answer.claims, startedMs);
    else this.#history.updateAdmitted(request.uid, answer.claims);
    await this.#sleep(this.#storeDelayMs());
    if (this.#world.nowMs - startedMs > finishMsMax) return this.#drop(request, "the request took too long");
    if (!this.#world.areFaultsOver && this.#random.chance(0.05)) {
      if (this.#reportsOutcome) this.#reportNotStored(machine, answer);
      return this.#drop(request, "rejected by another plug-in");
    }
    return {
      allowed: true,
      onSettled: ({ stored }) => {
        this.#history.objectSettled(request.uid);
        if (!stored && this.#reportsOutcome) this.#reportNotStored(machine, answer);
      },
    };
  }

  #drop({ uid }: WebhookRequest, why: string): Verdict {
    this.#history.objectSettled(uid);
    return { allowed: false, status: failure("Timeout", why) };
  }

  /** The response of a webhook, or a rejection after the timeout. */
  #callWebhook(name: string, request: WebhookRequest): Promise<WebhookResponse> {
    return new Promise((resolve) => {
      this.#world.later(answerMsMax, () => {
        resolve({ answer: "reject", status: failure("Timeout", "the webhook did not answer") });
      });
      if (this.#isLost()) return;
      this.#world.later(this.#latencyMs(), () => {
        this.#world.machine(name).run((host) => this.#serve(host, request, resolve), "once");
      });
    });
  }

  #serve(host: Host, request: WebhookRequest, resolve: (answer: WebhookResponse) => void): void {
    const webhook = this.#webhooks.get(host.incarnation);
    if (webhook === undefined) throw new Error(`${host.incarnation} runs no webhook`);
    const { name = "" } = request.object.metadata;
    const what = `${request.plane}/${request.type.plural}/${name} (${request.uid})`;
    this.#requests += 1;
    const id = `request ${this.#requests}`;
    this.#history.requestStarted({ id, what, isServerAlive: () => host.isAlive });
    runReportingFailure(host, `webhook for ${what}`, async () => {
      const answer = await webhook.answer(request);
      if (!host.isAlive) return;
      this.#history.requestAnswered(id);
      this.#world.note(`${host.name}: ${answer.answer} ${what}`);
      if (!this.#isLost()) this.#world.later(this.#latencyMs(), () => resolve(answer));
    });
  }

  /** Some API servers tell the webhook that an admitted object was not stored. */
  #reportNotStored(name: string, { incarnation, notStored }: Allowed): void {
    this.#world.machine(name).run((host) => {
      if (host.incarnation === incarnation) notStored();
    }, "once");
  }

  #isLost(): boolean {
    return !this.#world.areFaultsOver && this.#random.chance(0.03);
  }

  #latencyMs(): number {
    return this.#random.chance(0.05) ? this.#random.between(50, 2_000) : this.#random.between(1, 5);
  }

  #storeDelayMs(): number {
    return this.#random.chance(0.12) ? this.#random.between(500, finishMsMax) : this.#random.between(0, 3);
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#world.later(ms, resolve);
    });
  }
}

function requestOf({ plane, object, oldObject, kind }: AdmissionRequest, type: ResourceType): WebhookRequest {
  const seen = object as unknown as JsonObject & KubernetesObject;
  const old = oldObject === undefined ? {} : { oldObject: oldObject as unknown as JsonObject };
  return { uid: seen.metadata.uid ?? "", ...old, plane, object: seen, kind: kind.kind, type };
}
