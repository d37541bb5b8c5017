import type { KindDirectory } from "@milo-quota/kubernetes/client/discovery/kind-directory.ts";
import type { ConditionState } from "@milo-quota/kubernetes/protocol/condition.ts";
import type { FieldIssue } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import type { CompiledGrantPolicy } from "../../core/policy/grant-policy.ts";
import type { IndexedPolicy } from "../../core/policy/policy-index.ts";
import { type GrantCreationPolicy, grantCreationPolicyDefinition } from "../../core/resources/grant-creation-policy.ts";
import type { GrantPolicyIndex } from "../../views/grant-policy-index.ts";
import type { Running, Runtime } from "../../views/runtime.ts";
import { issuesText } from "../status/issues-text.ts";
import type { ParentContexts, ParentKnowledge } from "./parent-contexts.ts";
import { readyCondition, type TriggerKind } from "./policy-conditions.ts";
import { PolicyStatusWriter } from "./policy-status-writer.ts";

export interface GrantPolicyReadinessOptions {
  readonly runtime: Runtime;
  readonly index: GrantPolicyIndex;
  readonly directory: Pick<KindDirectory, "find">;
  readonly parents: ParentContexts;
}

type Indexed = IndexedPolicy<GrantCreationPolicy, CompiledGrantPolicy>;
type State = Omit<ConditionState, "observedGeneration">;

const parentPath = "spec.target.parentContext";

/** Tells of each grant policy whether it is at work, and whether the control planes it grants in can be reached. */
export class GrantPolicyReadiness implements Running {
  readonly #writer: PolicyStatusWriter<GrantCreationPolicy, CompiledGrantPolicy>;
  readonly #unsubscribe: () => void;

  constructor({ parents, ...options }: GrantPolicyReadinessOptions) {
    this.#writer = new PolicyStatusWriter({
      ...options,
      type: grantCreationPolicyDefinition,
      conditions: (indexed, triggerKind) => {
        const { plane, policy } = indexed;
        return grantConditions(indexed, triggerKind, parents.of({ plane, name: policy.metadata.name ?? "" }));
      },
    });
    this.#unsubscribe = parents.onChange((place) => this.#writer.look(place));
  }

  stop(): Promise<void> {
    this.#unsubscribe();
    return this.#writer.stop();
  }
}

function grantConditions(indexed: Indexed, triggerKind: TriggerKind, known: ParentKnowledge): readonly State[] {
  const parent = parentCondition(indexed, known);
  const ready = readyCondition(indexed.verdict, indexed.kind, triggerKind);
  // Some that cannot be reached are their own trouble; when none can, nothing of the policy is at work.
  const isUseless = ready.status === "True" && known.unreachedCount > 0 && known.reachedCount === 0;
  const useless = { ...ready, status: "False", reason: "ValidationFailed", message: parent.message } as const;
  return [isUseless ? useless : ready, parent];
}

function parentCondition({ policy, verdict }: Indexed, known: ParentKnowledge): State {
  const type = "ParentContextReady";
  if (policy.parentContext === undefined) {
    const message = "Grants are made in the control plane of the object they are for";
    return { type, status: "True", reason: "ParentContextNotRequired", message };
  }
  const problems = parentProblems(verdict.state === "ready" ? [] : verdict.issues, known);
  if (problems !== "") return { type, status: "False", reason: "ParentContextUnresolved", message: problems };
  const message = "Nothing is known against the control planes that grants are made in";
  return { type, status: "True", reason: "ParentContextResolved", message };
}

function parentProblems(issues: readonly FieldIssue[], { problems, unreachedCount }: ParentKnowledge): string {
  const own = issues.filter(({ field }) => field.startsWith(parentPath));
  if (own.length > 0) return issuesText(own);
  if (unreachedCount === 0) return "";
  return `No grant could be made for ${unreachedCount} ${unreachedCount === 1 ? "object" : "objects"}: ${problems.join("; ")}`;
}
