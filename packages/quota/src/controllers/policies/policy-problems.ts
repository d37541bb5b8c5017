import type { EventRecorder } from "@milo-quota/kubernetes/client/events/event-recorder.ts";
import { grantCreationPolicyDefinition } from "../../core/resources/grant-creation-policy.ts";
import { quotaApiVersion } from "../../core/resources/well-known.ts";
import type { GrantPolicyIndex } from "../../views/grant-policy-index.ts";
import type { PolicyPlace } from "../../views/watched-policies.ts";

const problemsMax = 10_000;

/** Tells people, on a grant policy, what it could not do for which object: once for each problem, however long it lasts. */
export class PolicyProblems {
  readonly #index: GrantPolicyIndex;
  readonly #events: Pick<EventRecorder, "record">;
  readonly #told = new Map<string, string>();

  constructor(index: GrantPolicyIndex, events: Pick<EventRecorder, "record">) {
    this.#index = index;
    this.#events = events;
  }

  /** `object` names what the policy has this problem with. */
  tell(policy: PolicyPlace, object: string, message: string): void {
    if (this.#told.get(object) === message) return;
    const indexed = this.#index.get(policy);
    if (indexed === undefined || this.#told.size >= problemsMax) return;
    this.#told.set(object, message);
    const { name = "", uid = "" } = indexed.policy.metadata;
    const { kind } = grantCreationPolicyDefinition;
    const subject = { apiVersion: quotaApiVersion, kind, namespace: "", name, uid };
    this.#events.record(policy.plane, subject, { type: "Warning", reason: "GrantNotMade", message });
  }

  /** All is well with the object: the same problem later is a new one. */
  solved(object: string): void {
    this.#told.delete(object);
  }
}
