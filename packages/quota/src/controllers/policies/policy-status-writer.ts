import { abortable } from "@milo-quota/kubernetes/client/abortable.ts";
import type { RestMapper } from "@milo-quota/kubernetes/client/discovery/rest-mapper.ts";
import { type ReconcileResult, reconciled, requeueAfter } from "@milo-quota/kubernetes/client/queue/work-queue.ts";
import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import type { ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import { writeStatus } from "@milo-quota/kubernetes/client/resources/write-status.ts";
import { type Condition, type ConditionState, setCondition } from "@milo-quota/kubernetes/protocol/condition.ts";
import { formatApiVersion } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { formatTime } from "@milo-quota/kubernetes/protocol/time.ts";
import type { AnyPolicy, IndexedPolicy } from "../../core/policy/policy-index.ts";
import type { TypeIssues } from "../../core/policy/trigger-type-check.ts";
import type { GroupKind } from "../../core/resources/fields/consumer-ref.ts";
import type { PolicyCache, PolicyKey } from "../../views/policy-cache.ts";
import type { Running, Runtime } from "../../views/runtime.ts";
import type { TriggerSchema, TriggerSchemas } from "../../views/trigger-schemas.ts";
import { PlaneQueues } from "../ownership/plane-queues.ts";
import { shouldReport } from "../status/conflicts.ts";
import type { TriggerKind } from "./policy-conditions.ts";

/** How often to check whether a missing trigger kind is served now. */
const recheckMs = 60_000;

export interface PolicyStatusOptions<Policy extends AnyPolicy, Compiled> {
  readonly runtime: Runtime;
  readonly policies: PolicyCache<Policy, Compiled>;
  readonly restMapper: Pick<RestMapper, "resourceFor">;
  readonly type: ResourceType & { readonly kind: string };
  /** Types of conditions that are removed when `conditions` does not return them. */
  readonly optional?: readonly string[];
  readonly conditions: (
    policy: IndexedPolicy<Policy, Compiled>,
    triggerKind: TriggerKind,
    typeIssues: TypeIssues | "unknown",
  ) => readonly Omit<ConditionState, "observedGeneration">[];
  /** Checks policies that compile against the schema of their trigger kind. Omitted: types are not checked. */
  readonly types?: {
    readonly schemas: Pick<TriggerSchemas, "of">;
    readonly issuesOf: (policy: Policy, schema: TriggerSchema) => TypeIssues;
  };
  /** Further fields of the status, given its new conditions and the time. A field that is undefined is removed. */
  readonly fields?: (
    policy: IndexedPolicy<Policy, Compiled>,
    conditions: readonly Condition[],
    time: string,
  ) => Readonly<Record<string, unknown>>;
  /** The conditions were written. */
  readonly onWritten?: (
    policy: IndexedPolicy<Policy, Compiled>,
    before: readonly Condition[],
    after: readonly Condition[],
  ) => void;
}

/** Writes the conditions of all policies of a kind. Keeps other fields of their status. */
export class PolicyStatusWriter<Policy extends AnyPolicy, Compiled> implements Running {
  readonly #options: PolicyStatusOptions<Policy, Compiled>;
  readonly #queue: PlaneQueues<PolicyKey>;
  readonly #unsubscribe: () => void;

  constructor(options: PolicyStatusOptions<Policy, Compiled>) {
    this.#options = options;
    const { runtime, policies, type } = options;
    this.#queue = new PlaneQueues({
      reconcile: (key, signal) => this.#reconcile(key, signal),
      idOf: ({ plane, name }) => `${plane}\n${name}`,
      planesOf: ({ plane }) => plane,
      clock: runtime.clock,
      random: runtime.random,
      report: (error, { plane, name }, failures) => {
        if (shouldReport(error, failures)) runtime.report(`${type.kind} ${name} in ${plane}`, error);
      },
    });
    this.#unsubscribe = policies.onChange((key) => this.#queue.add(key));
  }

  /** Queues a policy whose conditions may have changed. */
  enqueue(key: PolicyKey): void {
    if (this.#options.policies.isReady) this.#queue.add(key);
  }

  async stop(): Promise<void> {
    this.#unsubscribe();
    await this.#queue.stop();
  }

  async #reconcile(key: PolicyKey, signal: AbortSignal): Promise<ReconcileResult> {
    const { policies } = this.#options;
    const before = policies.get(key);
    if (before === undefined) return reconciled;
    const triggerKind = await this.#triggerKind(before, signal);
    const schema = await this.#schemaFor(before, signal);
    const now = policies.get(key);
    if (now === undefined) return reconciled;
    await this.#write(now, { triggerKind, schema }, signal);
    // A schema may change with its CustomResourceDefinition.
    return triggerKind === "served" && schema?.isCustom !== true ? reconciled : requeueAfter(recheckMs);
  }

  async #write(
    indexed: IndexedPolicy<Policy, Compiled>,
    { triggerKind, schema }: { readonly triggerKind: TriggerKind; readonly schema: TriggerSchema | undefined },
    signal: AbortSignal,
  ): Promise<void> {
    const { runtime, type, conditions, optional = [], fields, onWritten, types } = this.#options;
    const typeIssues = schema === undefined ? "unknown" : (types?.issuesOf(indexed.policy, schema) ?? "unknown");
    const { metadata, status, enabled } = indexed.policy;
    const { generation = 0 } = metadata;
    const time = formatTime(runtime.clock.now());
    const before = status.conditions ?? [];
    const states = conditions(indexed, triggerKind, typeIssues);
    const isKept = (known: Condition): boolean =>
      !optional.includes(known.type) || states.some((state) => state.type === known.type);
    const after = states.reduce<readonly Condition[]>(
      (list, state) => setCondition(list, { ...state, observedGeneration: generation }, time),
      before.filter(isKept),
    );
    const common = { observedGeneration: generation, enabled, conditions: after };
    const changed = withoutUndefined({ ...status, ...common, ...fields?.(indexed, after, time) });
    const client = runtime.planes.client(indexed.plane).resource(type, anyObject);
    const subject = { apiVersion: formatApiVersion(type.group, type.version), kind: type.kind, metadata };
    await writeStatus(client, subject, { before: status, after: changed }, signal);
    onWritten?.(indexed, before, after);
  }

  /** Undefined if types are not checked, or if the schema is unknown. */
  async #schemaFor(
    { plane, policy }: IndexedPolicy<Policy, Compiled>,
    signal: AbortSignal,
  ): Promise<TriggerSchema | undefined> {
    const { types, runtime, type } = this.#options;
    if (types === undefined) return undefined;
    try {
      return await abortable(types.schemas.of(plane, policy.trigger, signal), signal);
    } catch (error) {
      signal.throwIfAborted();
      runtime.report(`${type.kind} in ${plane}, reading the schema of ${policy.trigger.kind}`, error);
      return undefined;
    }
  }

  /** A failed lookup does not make the policy unready. */
  async #triggerKind({ plane, kind }: { plane: string; kind: GroupKind }, signal: AbortSignal): Promise<TriggerKind> {
    const { restMapper, runtime, type } = this.#options;
    try {
      const found = await abortable(restMapper.resourceFor(plane, kind), signal);
      return found === undefined ? "missing" : "served";
    } catch (error) {
      signal.throwIfAborted();
      runtime.report(`${type.kind} in ${plane}, looking up its trigger kind ${kind.kind}`, error);
      return "unknown";
    }
  }
}

function withoutUndefined(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
