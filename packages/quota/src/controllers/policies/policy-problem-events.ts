import type { EventRecorder } from "@milo-quota/kubernetes/client/events/event-recorder.ts";
import { grantCreationPolicyDefinition } from "../../core/resources/grant-creation-policy.ts";
import { quotaApiVersion } from "../../core/resources/well-known.ts";
import type { GrantPolicyCache } from "../../views/grant-policy-cache.ts";
import type { PolicyKey } from "../../views/policy-cache.ts";

const problemsMax = 10_000;

/** Records an event on a grant policy when it fails for an object: once for each problem, however long it lasts. */
export class PolicyProblemEvents {
  readonly #policies: GrantPolicyCache;
  readonly #events: Pick<EventRecorder, "record">;
  readonly #recorded = new Map<string, string>();

  constructor(policies: GrantPolicyCache, events: Pick<EventRecorder, "record">) {
    this.#policies = policies;
    this.#events = events;
  }

  /** `object` identifies the object that the policy failed for. */
  record(policy: PolicyKey, object: string, message: string): void {
    if (this.#recorded.get(object) === message) return;
    const indexed = this.#policies.get(policy);
    if (indexed === undefined || this.#recorded.size >= problemsMax) return;
    this.#recorded.set(object, message);
    const { name = "", uid = "" } = indexed.policy.metadata;
    const { kind } = grantCreationPolicyDefinition;
    const subject = { apiVersion: quotaApiVersion, kind, namespace: "", name, uid };
    this.#events.record(policy.plane, subject, { type: "Warning", reason: "GrantNotMade", message });
  }

  /** The policy succeeded for the object: a later failure is recorded again. */
  clear(object: string): void {
    this.#recorded.delete(object);
  }
}
