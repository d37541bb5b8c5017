import { ClaimStreams } from "../admission/claim-streams.ts";
import { PolicySight } from "../admission/policy-sight.ts";
import { type Enforcement, QuotaAdmission } from "../admission/quota-admission.ts";
import type { ControlPlanes } from "../controllers/control-planes.ts";
import { Controllers } from "../controllers/controllers.ts";
import { claimPoliciesType, registrationsType } from "../controllers/quota-types.ts";
import type { Runtime } from "../controllers/runtime.ts";
import type { QuotaPlugin } from "./admission-plugin.ts";

export interface QuotaSystemOptions {
  readonly runtime: Runtime;
  readonly plugin: QuotaPlugin;
  readonly enforcement?: () => Enforcement;
  readonly advice?: string;
  readonly waitMsMax?: number;
}

const waitMsDefault = 8_000;
const adviceDefault = "Delete what is not needed any more, or ask your platform team for a larger quota.";

/**
 * Controllers and admission in the process of the server. They are alone with its data, so a claim counts as granted as
 * soon as all its promises are durable.
 */
export class QuotaSystem {
  readonly #sight: PolicySight;
  readonly #streams: ClaimStreams;
  readonly #admission: QuotaAdmission;
  readonly #controllers: Controllers;
  readonly #plugin: QuotaPlugin;

  constructor({ runtime, plugin, ...options }: QuotaSystemOptions) {
    const { planes, clock, random, report } = runtime;
    this.#plugin = plugin;
    this.#streams = new ClaimStreams({ clientOf: (plane) => planes.client(plane), clock, random, report });
    this.#sight = sightOf(planes, runtime);
    this.#admission = new QuotaAdmission({
      planes,
      sight: this.#sight,
      streams: this.#streams,
      clock,
      enforcement: options.enforcement ?? (() => "Enforce"),
      waitMsMax: options.waitMsMax ?? waitMsDefault,
      advice: options.advice ?? adviceDefault,
      usage: { figuresOf: (key, dimensions) => this.#controllers.known.figuresOf(key, dimensions) },
      told: {},
      report,
    });
    const told = { promised: (uid: string) => this.#streams.promised(uid) };
    this.#controllers = new Controllers({ runtime, leadership: "alone", told });
  }

  /** Resolves when every object that is created from then on is checked. */
  async start(): Promise<void> {
    this.#controllers.start();
    this.#sight.start();
    await this.#sight.ready;
    this.#plugin.ask((change, signal) => this.#admission.decide(change, signal));
  }

  async stop(): Promise<void> {
    await this.#admission.stop();
    await this.#controllers.stop();
    await Promise.all([this.#streams.stop(), this.#sight.stop()]);
  }
}

function sightOf(planes: ControlPlanes, { clock, random, report }: Runtime): PolicySight {
  return new PolicySight({
    planes,
    policies: planes.everywhere(claimPoliciesType),
    registrations: planes.inRoot(registrationsType),
    clock,
    random,
    report,
  });
}
