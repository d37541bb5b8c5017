import type { RestMapper } from "@milo-quota/kubernetes/client/discovery/rest-mapper.ts";
import type { ConditionState } from "@milo-quota/kubernetes/protocol/condition.ts";
import type { FieldIssue } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import type { CompiledGrantPolicy } from "../../core/policy/grant-policy.ts";
import type { IndexedPolicy } from "../../core/policy/policy-index.ts";
import { type GrantCreationPolicy, grantCreationPolicyDefinition } from "../../core/resources/grant-creation-policy.ts";
import type { GrantPolicyCache } from "../../views/grant-policy-cache.ts";
import type { Running, Runtime } from "../../views/runtime.ts";
import { issuesText } from "../status/issues-text.ts";
import type { ParentContextState, ParentContexts } from "./parent-contexts.ts";
import { readyCondition, type TriggerKind } from "./policy-conditions.ts";
import { PolicyStatusWriter } from "./policy-status-writer.ts";

export interface GrantPolicyReadinessOptions {
  readonly runtime: Runtime;
  readonly policies: GrantPolicyCache;
  readonly restMapper: Pick<RestMapper, "resourceFor">;
  readonly parents: ParentContexts;
}

type Indexed = IndexedPolicy<GrantCreationPolicy, CompiledGrantPolicy>;
type State = Omit<ConditionState, "observedGeneration">;

/** Only for policies with a parent context. */
const parentContextReady = "ParentContextReady";
const parentPath = "spec.target.parentContext";

/** Writes the conditions of grant policies: whether they are ready, and whether grants reach their parent contexts. */
export class GrantPolicyReadiness implements Running {
  readonly #writer: PolicyStatusWriter<GrantCreationPolicy, CompiledGrantPolicy>;
  readonly #unsubscribe: () => void;

  constructor({ parents, ...options }: GrantPolicyReadinessOptions) {
    this.#writer = new PolicyStatusWriter({
      ...options,
      type: grantCreationPolicyDefinition,
      optional: [parentContextReady],
      conditions: (indexed, triggerKind) => {
        const { plane, policy } = indexed;
        return grantConditions(indexed, triggerKind, parents.of({ plane, name: policy.metadata.name ?? "" }));
      },
    });
    this.#unsubscribe = parents.onChange((key) => this.#writer.enqueue(key));
  }

  stop(): Promise<void> {
    this.#unsubscribe();
    return this.#writer.stop();
  }
}

function grantConditions(indexed: Indexed, triggerKind: TriggerKind, parents: ParentContextState): readonly State[] {
  const ready = readyCondition(indexed.verdict, indexed.kind, triggerKind);
  if (indexed.policy.parentContext === undefined) return [ready];
  const parent = parentCondition(indexed, parents);
  // The policy is still ready if only some parent contexts fail, but not if all of them do.
  const hasFailed = ready.status === "True" && parents.unreachedCount > 0 && parents.reachedCount === 0;
  const failed = { ...ready, status: "False", reason: "ValidationFailed", message: parent.message } as const;
  return [hasFailed ? failed : ready, parent];
}

function parentCondition({ verdict }: Indexed, parents: ParentContextState): State {
  const type = parentContextReady;
  const problems = parentProblems(verdict.state === "ready" ? [] : verdict.issues, parents);
  if (problems !== "") return { type, status: "False", reason: "ParentContextUnresolved", message: problems };
  const message = "No grant has failed because of its parent context";
  return { type, status: "True", reason: "ParentContextResolved", message };
}

function parentProblems(issues: readonly FieldIssue[], { problems, unreachedCount }: ParentContextState): string {
  const own = issues.filter(({ field }) => field.startsWith(parentPath));
  if (own.length > 0) return issuesText(own);
  if (unreachedCount === 0) return "";
  return `No grant could be created for ${unreachedCount} ${unreachedCount === 1 ? "object" : "objects"}: ${problems.join("; ")}`;
}
