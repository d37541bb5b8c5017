import type { EmbeddedServer } from "@milo-quota/apiserver/embedded-server.ts";
import { Admission, type AdmissionOptions, systemUserName } from "../admission/admission.ts";
import type { AdmissionListener } from "../admission/admission-listener.ts";
import { uidOf } from "../admission/claims/claimant.ts";
import { Controllers } from "../controllers/controllers.ts";
import type { LeaderTransactions } from "../controllers/leader-transactions.ts";
import type { DecisionListener } from "../controllers/writer/writer-deps.ts";
import type { Enforcement } from "../core/resources/enforcement.ts";
import { defaultQuotaOptions, type QuotaOptions } from "../core/resources/quota-options.ts";
import type { Runtime } from "../views/runtime.ts";
import { Views } from "../views/views.ts";
import { newcomersOf } from "./newcomers.ts";
import { quotaPlugin } from "./quota-plugin.ts";
import { QuotaTransactions } from "./quota-transactions.ts";

export interface QuotaSystemOptions
  extends Pick<AdmissionOptions, "waitMsMax" | "systemUsers" | "told" | "toldStreams"> {
  readonly runtime: Runtime;
  /** That of the system user by whom this system talks to the server. */
  readonly secret: string;
  readonly server: Pick<EmbeddedServer, "registry" | "kinds">;
  readonly quota?: QuotaOptions;
  readonly toldDecisions?: DecisionListener;
}

const processKey = "quota.miloapis.com/process";

/** Who the system is to the server in its own process: nobody else knows the secret, which is written nowhere. */
export function systemUser(secret: string) {
  return {
    username: systemUserName,
    uid: "",
    groups: ["system:masters"],
    extra: { [processKey]: [secret] },
  };
}

/**
 * Controllers and admission in the process of the server. They are alone with its data, so quota that fits is stored in one
 * transaction with the object it is for.
 */
export class QuotaSystem {
  readonly #admission: Admission;
  /** Shared by admission and controllers. */
  readonly views: Views;
  readonly controllers: Controllers;
  readonly enforcement: Enforcement;
  /** For the server, when this has started. */
  readonly plugin: ReturnType<typeof quotaPlugin>;

  constructor({
    runtime,
    secret,
    server,
    quota = defaultQuotaOptions,
    toldDecisions = {},
    ...options
  }: QuotaSystemOptions) {
    const { planes, clock, random, report } = runtime;
    this.enforcement = quota.enforcement;
    this.views = new Views(runtime);
    const { views } = this;
    this.controllers = new Controllers({ runtime, views, leadership: "alone", told: toldDecisions, quota });
    const leader = this.controllers.transactions;
    const transactions = new QuotaTransactions({ ...server, leader, report });
    this.#admission = new Admission({
      ...options,
      told: notingNeeds(options.told, leader),
      quota,
      planes,
      views,
      clock,
      random,
      report,
      transactions,
      isBucketWriter: ({ extra }) => extra[processKey]?.[0] === secret,
      usage: {
        isAlone: true,
        figuresOf: (key, dimensionKey) => this.controllers.known.figuresOf(key, dimensionKey),
        shortOf: (owner, claims) => this.controllers.known.shortOf(owner, claims),
      },
      newcomers: newcomersOf(planes, clock, (kind) => this.controllers.areGranted(kind)),
    });
    this.plugin = quotaPlugin(this.#admission, (leaving) => transactions.removing(leaving));
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

/** Lets controllers know what an object was stored with before their views do. */
function notingNeeds(told: AdmissionListener = {}, leader: LeaderTransactions): AdmissionListener {
  return {
    ...told,
    stored: (change, version, stored) => {
      told.stored?.(change, version, stored);
      const uid = uidOf(change.object);
      leader.noteClaims(
        uid,
        stored.claims.map(({ plane, claim: { namespace, name } }) => ({ plane, namespace, name })),
      );
      if (change.operation !== "CREATE") return;
      const policies = stored.rendered.map(({ policy: { policy }, claim }) => {
        const { metadata } = policy;
        return { uid: metadata.uid ?? "", generation: metadata.generation ?? 0, claim };
      });
      leader.noteNeeds({ uid, version, policies });
    },
  };
}
