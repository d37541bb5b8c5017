import type { AdmissionListener } from "../admission/admission-listener.ts";
import { ClaimStreams, type StreamsHealth } from "../admission/claim-streams.ts";
import { frontDoor } from "../admission/front-door.ts";
import { readRegistrations } from "../admission/live-registrations.ts";
import { OwnKinds } from "../admission/own-kinds.ts";
import { type PolicyListener, PolicySight } from "../admission/policy-sight.ts";
import { type Enforcement, QuotaAdmission } from "../admission/quota-admission.ts";
import type { StreamsListener } from "../admission/stream-listener.ts";
import type { ControlPlanes } from "../controllers/control-planes.ts";
import { Controllers } from "../controllers/controllers.ts";
import { claimPoliciesType, registrationsType } from "../controllers/quota-types.ts";
import type { Runtime } from "../controllers/runtime.ts";
import type { KubeClient } from "../kube/client/kube-client.ts";
import type { QuotaPlugin } from "./admission-plugin.ts";

export interface QuotaSystemOptions {
  readonly runtime: Runtime;
  readonly plugin: QuotaPlugin;
  readonly enforcement?: () => Enforcement;
  readonly advice?: string;
  readonly waitMsMax?: number;
  /** The users that controllers and admission write as; others may not write what is theirs. */
  readonly systemUsers?: readonly string[];
  /** Those who count. */
  readonly told?: AdmissionListener;
  readonly toldStreams?: StreamsListener;
  readonly toldPolicies?: PolicyListener;
}

/** Who the system is to its own server, unless it is told otherwise. */
export const systemUser = "system:milo-quota";

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
  readonly #own: OwnKinds;
  readonly #report: Runtime["report"];
  readonly #controllers: Controllers;
  readonly #plugin: QuotaPlugin;

  constructor({ runtime, plugin, ...options }: QuotaSystemOptions) {
    const { planes, clock, random, report } = runtime;
    this.#plugin = plugin;
    this.#report = report;
    const { told = {}, toldStreams = {}, toldPolicies = {} } = options;
    const clientOf = (plane: string): KubeClient => planes.client(plane);
    this.#streams = new ClaimStreams({ clientOf, clock, random, report, told: toldStreams });
    this.#sight = sightOf(planes, runtime, toldPolicies);
    this.#admission = new QuotaAdmission({
      planes,
      sight: this.#sight,
      streams: this.#streams,
      clock,
      enforcement: options.enforcement ?? (() => "Enforce"),
      waitMsMax: options.waitMsMax ?? waitMsDefault,
      advice: options.advice ?? adviceDefault,
      usage: { figuresOf: (key, dimensions) => this.#controllers.known.figuresOf(key, dimensions) },
      told,
      report,
    });
    this.#own = new OwnKinds({
      planes,
      registrations: this.#sight,
      readRegistrations: (signal) => readRegistrations(planes.client(planes.root), signal),
      systemUsers: options.systemUsers ?? [systemUser],
    });
    const promised = (uid: string): void => this.#streams.promised(uid);
    this.#controllers = new Controllers({ runtime, leadership: "alone", told: { promised } });
  }

  /** How the streams of claims are, and how many policies are at work, for those who look from outside. */
  get health(): StreamsHealth & { readonly activePolicies: number } {
    return { ...this.#streams.health, activePolicies: this.#sight.activeCount };
  }

  /** Resolves when every object that is created from then on is checked. */
  async start(): Promise<void> {
    this.#controllers.start();
    this.#sight.start();
    await this.#sight.ready;
    this.#plugin.ask(frontDoor({ own: this.#own, quota: this.#admission, report: this.#report }));
  }

  async stop(): Promise<void> {
    await this.#admission.stop();
    await this.#controllers.stop();
    await Promise.all([this.#streams.stop(), this.#sight.stop()]);
  }
}

function sightOf(planes: ControlPlanes, { clock, random, report }: Runtime, told: PolicyListener): PolicySight {
  return new PolicySight({
    planes,
    policies: planes.everywhere(claimPoliciesType),
    registrations: planes.inRoot(registrationsType),
    clock,
    random,
    report,
    told,
  });
}
