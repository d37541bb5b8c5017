import type { EmbeddedServer } from "@milo-quota/apiserver/embedded-server.ts";
import { Admission, type AdmissionOptions, systemUserName } from "../admission/admission.ts";
import type { AdmissionObserver } from "../admission/admission-observer.ts";
import { uidOf } from "../admission/claims/claimant.ts";
import { Controllers } from "../controllers/controllers.ts";
import type { LeaderTransactions } from "../controllers/leader-transactions.ts";
import type { DecisionObserver } from "../controllers/writer/writer-deps.ts";
import type { Enforcement } from "../core/resources/enforcement.ts";
import { defaultQuotaOptions, type QuotaOptions } from "../core/resources/quota-options.ts";
import type { Runtime } from "../views/runtime.ts";
import { Views } from "../views/views.ts";
import { newTenants } from "./new-tenants.ts";
import { quotaPlugin } from "./quota-plugin.ts";
import { QuotaTransactions } from "./quota-transactions.ts";

export interface QuotaSystemOptions
  extends Pick<AdmissionOptions, "waitMsMax" | "systemUsers" | "observer" | "streamObserver"> {
  readonly runtime: Runtime;
  /** Proves to the server that a request comes from this process. */
  readonly secret: string;
  readonly server: Pick<EmbeddedServer, "registry" | "kinds">;
  readonly quota?: QuotaOptions;
  readonly decisionObserver?: DecisionObserver;
}

const processKey = "quota.miloapis.com/process";

/** The user that the system acts as. The secret never leaves the process, so no client can impersonate it. */
export function systemUser(secret: string) {
  return {
    username: systemUserName,
    uid: "",
    groups: ["system:masters"],
    extra: { [processKey]: [secret] },
  };
}

/**
 * Controllers and admission in the process of the API server. No other bucket writer exists, so that claims which fit can be
 * stored in one transaction with their object.
 */
export class QuotaSystem {
  readonly #admission: Admission;
  /** Shared by admission and controllers. */
  readonly views: Views;
  readonly controllers: Controllers;
  readonly enforcement: Enforcement;
  /** To be added to the server after the start. */
  readonly plugin: ReturnType<typeof quotaPlugin>;

  constructor({
    runtime,
    secret,
    server,
    quota = defaultQuotaOptions,
    decisionObserver = {},
    ...options
  }: QuotaSystemOptions) {
    const { planes, clock, random, report } = runtime;
    this.enforcement = quota.enforcement;
    this.views = new Views(runtime);
    const { views } = this;
    this.controllers = new Controllers({ runtime, views, leadership: "alone", observer: decisionObserver, quota });
    const leader = this.controllers.transactions;
    const transactions = new QuotaTransactions({ ...server, leader, report });
    this.#admission = new Admission({
      ...options,
      observer: notifyingLeader(options.observer, leader),
      quota,
      planes,
      views,
      clock,
      random,
      report,
      transactions,
      isBucketWriter: ({ extra }) => extra[processKey]?.[0] === secret,
      usage: {
        isSoleWriter: true,
        figuresOf: (key, dimensionKey) => this.controllers.figures.figuresOf(key, dimensionKey),
        shortOf: (owner, claims) => this.controllers.figures.shortOf(owner, claims),
      },
      newConsumers: newTenants(planes, clock, (kind) => this.controllers.hasGrantPolicyFor(kind)),
    });
    this.plugin = quotaPlugin(this.#admission, (leaving) => transactions.companionsOfRemoval(leaving));
  }

  get health(): Admission["health"] {
    return this.#admission.health;
  }

  /** Resolves when the plug-in can decide requests. */
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

/** Tells the controllers what an object was stored with, before their informers deliver it. */
function notifyingLeader(observer: AdmissionObserver = {}, leader: LeaderTransactions): AdmissionObserver {
  return {
    ...observer,
    onStored: (change, version, stored) => {
      observer.onStored?.(change, version, stored);
      const uid = uidOf(change.object);
      leader.recordClaims(
        uid,
        stored.claims.map(({ plane, claim: { namespace, name } }) => ({ plane, namespace, name })),
      );
      if (change.operation !== "CREATE") return;
      const policies = stored.rendered.map(({ policy: { policy }, claim }) => {
        const { metadata } = policy;
        return { uid: metadata.uid ?? "", generation: metadata.generation ?? 0, claim };
      });
      leader.recordNeeds({ uid, version, policies });
    },
  };
}
