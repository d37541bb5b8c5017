import { Admission, type AdmissionOptions, systemUserName } from "../admission/admission.ts";
import { Controllers } from "../controllers/controllers.ts";
import { claimPoliciesType, registrationsType } from "../controllers/quota-types.ts";
import type { Runtime } from "../controllers/runtime.ts";
import type { DecisionListener } from "../controllers/writer/ports.ts";
import type { Enforcement } from "../core/resources/enforcement.ts";
import { defaultQuotaOptions, type QuotaOptions } from "../core/resources/quota-options.ts";
import { quotaPlugin } from "./admission-plugin.ts";
import { newcomersOf } from "./newcomers.ts";

export interface QuotaSystemOptions
  extends Pick<AdmissionOptions, "waitMsMax" | "systemUsers" | "told" | "toldStreams" | "toldPolicies"> {
  readonly runtime: Runtime;
  readonly quota?: QuotaOptions;
  readonly toldDecisions?: DecisionListener;
}

/** Who the system is to the server in its own process. */
export const systemUser = systemUserName;

/**
 * Controllers and admission in the process of the server. They are alone with its data, so a claim counts as granted as
 * soon as all its promises have their place in the log: the object that is let in by them comes after them.
 */
export class QuotaSystem {
  readonly #admission: Admission;
  readonly controllers: Controllers;
  readonly enforcement: Enforcement;
  /** For the server, when this has started. */
  readonly plugin: ReturnType<typeof quotaPlugin>;

  constructor({ runtime, quota = defaultQuotaOptions, toldDecisions, ...options }: QuotaSystemOptions) {
    const { planes, clock, random, report } = runtime;
    this.enforcement = quota.enforcement;
    this.#admission = new Admission({
      ...options,
      quota,
      planes,
      policies: planes.everywhere(claimPoliciesType),
      registrations: planes.inRoot(registrationsType),
      clock,
      random,
      report,
      decider: {
        decide: (plane, claim, stored) => this.controllers.early.decide(plane, claim, stored),
        made: (plane, claim) => this.controllers.early.made(plane, claim),
      },
      // A claim that is kept until its object is gone is told so when it is bound.
      ownedFromBirth: !quota.claimFinalizer,
      usage: {
        isAlone: true,
        figuresOf: (key, dimensionKey) => this.controllers.known.figuresOf(key, dimensionKey),
        shortOf: (owner, claims) => this.controllers.known.shortOf(owner, claims),
      },
      newcomers: newcomersOf(planes, clock, (kind) => this.controllers.areGranted(kind)),
    });
    this.plugin = quotaPlugin(this.#admission);
    const promised = (uid: string): boolean => this.#admission.promised(uid);
    const told = { ...toldDecisions, promised };
    this.controllers = new Controllers({ runtime, leadership: "alone", told, quota });
  }

  get health(): Admission["health"] {
    return this.#admission.health;
  }

  /** Resolves when the plug-in can check objects. */
  async start(): Promise<void> {
    this.controllers.start();
    this.#admission.start();
    await this.#admission.ready;
  }

  async stop(): Promise<void> {
    await this.#admission.finish();
    await this.controllers.stop();
    await this.#admission.stop();
  }
}
