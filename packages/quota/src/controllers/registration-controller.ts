import { KindDirectory } from "@milo-quota/kubernetes/client/discovery/kind-directory.ts";
import { again, type Outcome, settled, WorkQueue } from "@milo-quota/kubernetes/client/queue/work-queue.ts";
import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import { writeStatus } from "@milo-quota/kubernetes/client/resources/write-status.ts";
import { type ConditionState, setCondition } from "@milo-quota/kubernetes/protocol/condition.ts";
import { timeText } from "@milo-quota/kubernetes/protocol/time.ts";
import { saidConditions } from "../core/resources/fields/conditions.ts";
import { groupKindText } from "../core/resources/fields/consumer-ref.ts";
import { type ResourceRegistration, resourceRegistrationDefinition } from "../core/resources/resource-registration.ts";
import { registrationIssues } from "../core/resources/rules/registration-rules.ts";
import { quotaApiVersion } from "../core/resources/well-known.ts";
import { registrationsType } from "../views/quota-types.ts";
import type { RegistrationIndex } from "../views/registration-index.ts";
import type { Running, Runtime } from "../views/runtime.ts";
import type { Views } from "../views/views.ts";
import { inTime } from "./in-time.ts";
import { issuesText } from "./status/issues-text.ts";
import { isWorthReporting } from "./status/quiet-conflicts.ts";

/** How often it is looked whether a kind that was not served is served by now. */
const recheckMs = 60_000;

type ConsumerKind = "served" | "missing" | "unknown";

/** Tells of each registration whether grants and claims can use it: of several for one resource type, the oldest. */
export class RegistrationController implements Running {
  readonly #runtime: Runtime;
  readonly #views: Pick<Views, "registrations" | "registrationIndex">;
  readonly #index: RegistrationIndex;
  readonly #kinds: KindDirectory;
  readonly #queue: WorkQueue<string>;
  readonly #unsubscribe: () => void;

  constructor(runtime: Runtime, views: Pick<Views, "registrations" | "registrationIndex">) {
    this.#runtime = runtime;
    this.#views = views;
    this.#queue = new WorkQueue({
      work: (name, signal) => this.#reconcile(name, signal),
      idOf: (name) => name,
      told: runtime.toldQueues?.("registrations"),
      clock: runtime.clock,
      random: runtime.random,
      report: (error, name, failures) => {
        if (isWorthReporting(error, failures)) runtime.report(`registration ${name}`, error);
      },
    });
    this.#kinds = new KindDirectory((plane) => runtime.planes.client(plane), runtime.clock);
    this.#index = views.registrationIndex;
    this.#unsubscribe = this.#index.onChange((resourceType) => this.#look(resourceType));
    // Which one is the oldest can be told only when all are known.
    void views.registrations.ready.then(() => {
      for (const [{ name }] of views.registrations.entries()) this.#queue.add(name);
    });
  }

  async stop(): Promise<void> {
    this.#unsubscribe();
    await this.#queue.stop();
  }

  /** When one goes, or a new one comes, others of the same resource type may take its place. */
  #look(resourceType: string): void {
    if (!this.#views.registrations.isReady) return;
    for (const { metadata } of this.#index.byResourceType(resourceType)) this.#queue.add(metadata.name ?? "");
  }

  async #reconcile(name: string, signal: AbortSignal): Promise<Outcome> {
    const { planes, clock } = this.#runtime;
    const registration = this.#views.registrations.get({ plane: planes.root, namespace: "", name });
    if (registration === undefined) return settled;
    const consumerKind = await this.#consumerKind(registration);
    const { metadata, status: before } = registration;
    const { generation = 0 } = metadata;
    const condition = { ...this.#activity(registration, consumerKind), observedGeneration: generation };
    const after = {
      ...before,
      observedGeneration: generation,
      consumerType: { ...registration.consumerType },
      conditions: setCondition(saidConditions(before.conditions), condition, timeText(clock.now())),
    };
    const { kind } = resourceRegistrationDefinition;
    const subject = { apiVersion: quotaApiVersion, kind, metadata };
    const client = planes.client(planes.root).resource(registrationsType, anyObject);
    await inTime(clock, signal, (limit) => writeStatus(client, subject, { before, after }, limit));
    return consumerKind === "served" ? settled : again(recheckMs);
  }

  #activity(registration: ResourceRegistration, consumerKind: ConsumerKind): ConditionState {
    const issues = registrationIssues(registration, this.#index);
    if (issues.length > 0) {
      return { type: "Active", status: "False", reason: "ValidationFailed", message: issuesText(issues) };
    }
    const kind = groupKindText(registration.consumerType);
    const warning = consumerKind === "missing" ? `; warning: no API server here serves its consumer kind, ${kind}` : "";
    const message = `ResourceRegistration is active${warning}`;
    return { type: "Active", status: "True", reason: "RegistrationActive", message };
  }

  /** Not being able to tell keeps no registration from being used. */
  async #consumerKind({ consumerType, metadata }: ResourceRegistration): Promise<ConsumerKind> {
    const { planes, report } = this.#runtime;
    try {
      return (await this.#kinds.find(planes.root, consumerType)) === undefined ? "missing" : "served";
    } catch (error) {
      report(`registration ${metadata.name}, looking for its consumer kind`, error);
      return "unknown";
    }
  }
}
