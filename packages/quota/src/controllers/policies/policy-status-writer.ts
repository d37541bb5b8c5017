import type { KindDirectory } from "@milo-quota/kubernetes/client/discovery/kind-directory.ts";
import { again, type Outcome, settled } from "@milo-quota/kubernetes/client/queue/work-queue.ts";
import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import type { ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import { writeStatus } from "@milo-quota/kubernetes/client/resources/write-status.ts";
import { untilAborted } from "@milo-quota/kubernetes/client/until-aborted.ts";
import { type Condition, type ConditionState, setCondition } from "@milo-quota/kubernetes/protocol/condition.ts";
import { formatApiVersion } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { timeText } from "@milo-quota/kubernetes/protocol/time.ts";
import type { AnyPolicy, IndexedPolicy } from "../../core/policy/policy-index.ts";
import type { GroupKind } from "../../core/resources/fields/consumer-ref.ts";
import type { Running, Runtime } from "../../views/runtime.ts";
import type { PolicyPlace, WatchedPolicies } from "../../views/watched-policies.ts";
import { PlaneQueues } from "../ownership/plane-queues.ts";
import { isWorthReporting } from "../status/quiet-conflicts.ts";
import type { TriggerKind } from "./policy-conditions.ts";

/** How often it is looked whether a kind that was not served is served by now. */
const recheckMs = 60_000;

export interface PolicyStatusOptions<Policy extends AnyPolicy, Compiled> {
  readonly runtime: Runtime;
  readonly index: WatchedPolicies<Policy, Compiled>;
  readonly directory: Pick<KindDirectory, "find">;
  readonly type: ResourceType & { readonly kind: string };
  readonly conditions: (
    policy: IndexedPolicy<Policy, Compiled>,
    triggerKind: TriggerKind,
  ) => readonly Omit<ConditionState, "observedGeneration">[];
}

/** Tells of each policy of a kind, in its status, whether it is at work. Other fields of the status are left as they are. */
export class PolicyStatusWriter<Policy extends AnyPolicy, Compiled> implements Running {
  readonly #options: PolicyStatusOptions<Policy, Compiled>;
  readonly #queue: PlaneQueues<PolicyPlace>;
  readonly #unsubscribe: () => void;

  constructor(options: PolicyStatusOptions<Policy, Compiled>) {
    this.#options = options;
    const { runtime, index, type } = options;
    this.#queue = new PlaneQueues({
      work: (place, signal) => this.#reconcile(place, signal),
      idOf: ({ plane, name }) => `${plane}\n${name}`,
      planesOf: ({ plane }) => plane,
      clock: runtime.clock,
      random: runtime.random,
      report: (error, { plane, name }, failures) => {
        if (isWorthReporting(error, failures)) runtime.report(`${type.kind} ${name} in ${plane}`, error);
      },
    });
    this.#unsubscribe = index.onChange((place) => this.#queue.add(place));
  }

  /** Looks at a policy again, after something it is judged by has changed. */
  look(place: PolicyPlace): void {
    if (this.#options.index.isReady) this.#queue.add(place);
  }

  async stop(): Promise<void> {
    this.#unsubscribe();
    await this.#queue.stop();
  }

  async #reconcile(place: PolicyPlace, signal: AbortSignal): Promise<Outcome> {
    const { index } = this.#options;
    const seen = index.get(place);
    if (seen === undefined) return settled;
    const triggerKind = await this.#triggerKind(seen, signal);
    const now = index.get(place);
    if (now === undefined) return settled;
    await this.#write(now, triggerKind, signal);
    return triggerKind === "served" ? settled : again(recheckMs);
  }

  async #write(indexed: IndexedPolicy<Policy, Compiled>, triggerKind: TriggerKind, signal: AbortSignal): Promise<void> {
    const { runtime, type, conditions } = this.#options;
    const { metadata, status: before, enabled } = indexed.policy;
    const { generation = 0 } = metadata;
    const time = timeText(runtime.clock.now());
    const after = {
      ...before,
      observedGeneration: generation,
      enabled,
      conditions: conditions(indexed, triggerKind).reduce<readonly Condition[]>(
        (list, state) => setCondition(list, { ...state, observedGeneration: generation }, time),
        before.conditions ?? [],
      ),
    };
    const client = runtime.planes.client(indexed.plane).resource(type, anyObject);
    const subject = { apiVersion: formatApiVersion(type.group, type.version), kind: type.kind, metadata };
    await writeStatus(client, subject, { before, after }, signal);
  }

  /** Not being able to tell keeps no policy from working. */
  async #triggerKind({ plane, kind }: { plane: string; kind: GroupKind }, signal: AbortSignal): Promise<TriggerKind> {
    const { directory, runtime, type } = this.#options;
    try {
      const found = await untilAborted(directory.find(plane, kind), signal);
      return found === undefined ? "missing" : "served";
    } catch (error) {
      signal.throwIfAborted();
      runtime.report(`${type.kind} in ${plane}, looking for the kind ${kind.kind}`, error);
      return "unknown";
    }
  }
}
