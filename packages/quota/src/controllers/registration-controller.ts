import { RestMapper } from "@milo-quota/kubernetes/client/discovery/rest-mapper.ts";
import {
  type ReconcileResult,
  reconciled,
  requeueAfter,
  WorkQueue,
} from "@milo-quota/kubernetes/client/queue/work-queue.ts";
import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import { writeStatus } from "@milo-quota/kubernetes/client/resources/write-status.ts";
import { type ConditionState, setCondition } from "@milo-quota/kubernetes/protocol/condition.ts";
import { formatTime } from "@milo-quota/kubernetes/protocol/time.ts";
import { reportedConditions } from "../core/resources/fields/conditions.ts";
import { groupKindText } from "../core/resources/fields/consumer-ref.ts";
import { type ResourceRegistration, resourceRegistrationDefinition } from "../core/resources/resource-registration.ts";
import { registrationIssues } from "../core/resources/rules/registration-rules.ts";
import { quotaApiVersion } from "../core/resources/well-known.ts";
import { registrationsType } from "../views/quota-types.ts";
import type { RegistrationIndex } from "../views/registration-index.ts";
import type { Running, Runtime } from "../views/runtime.ts";
import type { Views } from "../views/views.ts";
import { shouldReport } from "./status/conflicts.ts";
import { issuesText } from "./status/issues-text.ts";
import { withTimeout } from "./with-timeout.ts";

/** How often to check whether a missing consumer kind is served now. */
const recheckMs = 60_000;

const activeMessage =
  "The registration is active and resource grants and claims can now be created for this resource type.";

type ConsumerKind = "served" | "missing" | "unknown";

/** Writes the Active condition of registrations. Of several for one resource type, the oldest is active. */
export class RegistrationController implements Running {
  readonly #runtime: Runtime;
  readonly #views: Pick<Views, "registrations" | "registrationIndex">;
  readonly #index: RegistrationIndex;
  readonly #restMapper: RestMapper;
  readonly #queue: WorkQueue<string>;
  readonly #unsubscribe: () => void;

  constructor(runtime: Runtime, views: Pick<Views, "registrations" | "registrationIndex">) {
    this.#runtime = runtime;
    this.#views = views;
    this.#queue = new WorkQueue({
      reconcile: (name, signal) => this.#reconcile(name, signal),
      idOf: (name) => name,
      observer: runtime.queueObservers?.("registrations"),
      clock: runtime.clock,
      random: runtime.random,
      report: (error, name, failures) => {
        if (shouldReport(error, failures)) runtime.report(`registration ${name}`, error);
      },
    });
    this.#restMapper = new RestMapper((plane) => runtime.planes.client(plane), runtime.clock);
    this.#index = views.registrationIndex;
    this.#unsubscribe = this.#index.onChange((resourceType) => this.#enqueueAll(resourceType));
    // The oldest registration of a type is known only once the informer has synced.
    void views.registrations.synced.then(() => {
      for (const [{ name }] of views.registrations.entries()) this.#queue.add(name);
    });
  }

  async stop(): Promise<void> {
    this.#unsubscribe();
    await this.#queue.stop();
  }

  /** A change to one registration may activate or deactivate others of the same type. */
  #enqueueAll(resourceType: string): void {
    if (!this.#views.registrations.hasSynced) return;
    for (const { metadata } of this.#index.byResourceType(resourceType)) this.#queue.add(metadata.name ?? "");
  }

  async #reconcile(name: string, signal: AbortSignal): Promise<ReconcileResult> {
    const { planes, clock } = this.#runtime;
    const registration = this.#views.registrations.get({ plane: planes.root, namespace: "", name });
    if (registration === undefined) return reconciled;
    const consumerKind = await this.#consumerKind(registration);
    const { metadata, status: before } = registration;
    const { generation = 0 } = metadata;
    const condition = { ...this.#activity(registration, consumerKind), observedGeneration: generation };
    const after = {
      ...before,
      observedGeneration: generation,
      consumerType: { ...registration.consumerType },
      conditions: setCondition(reportedConditions(before.conditions), condition, formatTime(clock.now())),
    };
    const { kind } = resourceRegistrationDefinition;
    const subject = { apiVersion: quotaApiVersion, kind, metadata };
    const client = planes.client(planes.root).resource(registrationsType, anyObject);
    await withTimeout(clock, signal, (limit) => writeStatus(client, subject, { before, after }, limit));
    return consumerKind === "served" ? reconciled : requeueAfter(recheckMs);
  }

  #activity(registration: ResourceRegistration, consumerKind: ConsumerKind): ConditionState {
    const issues = registrationIssues(registration, this.#index);
    if (issues.length > 0) {
      return { type: "Active", status: "False", reason: "ValidationFailed", message: issuesText(issues) };
    }
    const kind = groupKindText(registration.consumerType);
    const warning =
      consumerKind === "missing" ? ` Warning: the API server does not serve its consumer kind ${kind}.` : "";
    return { type: "Active", status: "True", reason: "RegistrationActive", message: `${activeMessage}${warning}` };
  }

  /** A failed lookup does not deactivate the registration. */
  async #consumerKind({ consumerType, metadata }: ResourceRegistration): Promise<ConsumerKind> {
    const { planes, report } = this.#runtime;
    try {
      return (await this.#restMapper.resourceFor(planes.root, consumerType)) === undefined ? "missing" : "served";
    } catch (error) {
      report(`registration ${metadata.name}, looking up its consumer kind`, error);
      return "unknown";
    }
  }
}
