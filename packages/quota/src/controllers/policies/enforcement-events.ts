import type { EventRecorder } from "@milo-quota/kubernetes/client/events/event-recorder.ts";
import type { Clock, Timer } from "@milo-quota/kubernetes/protocol/clock.ts";
import { type Condition, findCondition } from "@milo-quota/kubernetes/protocol/condition.ts";
import { type ClaimCreationPolicy, claimCreationPolicyDefinition } from "../../core/resources/claim-creation-policy.ts";
import { quotaApiVersion } from "../../core/resources/well-known.ts";
import type { ClaimPolicyCache } from "../../views/claim-policy-cache.ts";

/** A new policy and its registrations may be applied in any order. */
const newPolicyGraceMs = 10_000;

/** Reasons of the condition Enforced that need attention. */
const problems: readonly string[] = ["PolicyBroken", "EarlierGenerationEnforced", "NotReady"];

/** A policy that does not decide, or decides otherwise than written. The log needs only the message. */
class EnforcementProblem extends Error {
  override readonly name = "EnforcementProblem";
  readonly isExpected = true;
}

export interface EnforcementEventDeps {
  readonly policies: Pick<ClaimPolicyCache, "get">;
  readonly events: Pick<EventRecorder, "record">;
  readonly report: (where: string, error: unknown) => void;
  readonly clock: Clock;
}

interface PolicyInPlane {
  readonly plane: string;
  readonly policy: ClaimCreationPolicy;
}

/** Records an event when it changes what a policy enforces, and logs problems. */
export class EnforcementEvents {
  readonly #deps: EnforcementEventDeps;
  /** By UID of a policy that has not been ready yet. */
  readonly #graces = new Map<string, Timer>();

  constructor(deps: EnforcementEventDeps) {
    this.#deps = deps;
  }

  /** The conditions of a policy were written. */
  onWritten({ plane, policy }: PolicyInPlane, before: readonly Condition[], after: readonly Condition[]): void {
    const [old, now] = [findCondition(before, "Enforced"), findCondition(after, "Enforced")];
    if (now === undefined || old?.reason === now.reason) return;
    if (now.reason === "NotReady") this.#recordAfterGrace(plane, policy.metadata);
    else if (old !== undefined && old.reason !== "NotReady") this.#record({ plane, policy }, after);
  }

  stop(): void {
    for (const timer of this.#graces.values()) timer.stop();
    this.#graces.clear();
  }

  #recordAfterGrace(plane: string, { name = "", uid = "" }: ClaimCreationPolicy["metadata"]): void {
    if (this.#graces.has(uid)) return;
    const { clock, policies } = this.#deps;
    const onEnd = (): void => {
      this.#graces.delete(uid);
      const indexed = policies.get({ plane, name });
      const conditions = indexed?.policy.status.conditions ?? [];
      const isStill =
        indexed?.policy.metadata.uid === uid && findCondition(conditions, "Enforced")?.reason === "NotReady";
      if (indexed !== undefined && isStill) this.#record(indexed, conditions);
    };
    this.#graces.set(uid, clock.after(newPolicyGraceMs, onEnd));
  }

  #record({ plane, policy }: PolicyInPlane, conditions: readonly Condition[]): void {
    const { events, report } = this.#deps;
    const [enforced, ready] = [findCondition(conditions, "Enforced"), findCondition(conditions, "Ready")];
    if (enforced === undefined) return;
    const isProblem = problems.includes(enforced.reason);
    const message = isProblem ? `${enforced.message}. Ready: ${ready?.message ?? ""}` : enforced.message;
    const { name = "", uid = "" } = policy.metadata;
    const { kind } = claimCreationPolicyDefinition;
    const subject = { apiVersion: quotaApiVersion, kind, namespace: "", name, uid };
    events.record(plane, subject, { type: isProblem ? "Warning" : "Normal", reason: enforced.reason, message });
    if (isProblem) report(`${kind} ${name} in ${plane}`, new EnforcementProblem(message));
  }
}
