import { grantCreationPolicyDefinition } from "../../core/resources/grant-creation-policy.ts";
import { quotaApiVersion } from "../../core/resources/well-known.ts";
import { EventRecorder, eventType } from "../../kube/events/event-recorder.ts";
import { anyObject } from "../quota-types.ts";
import type { Running, Runtime } from "../runtime.ts";
import type { GrantPolicyIndex } from "./grant-policy-index.ts";
import type { PolicyPlace } from "./watched-policies.ts";

const problemsMax = 10_000;

/** Tells people, on a grant policy, what it could not do for which object: once for each problem, however long it lasts. */
export class PolicyEvents implements Running {
  readonly #index: GrantPolicyIndex;
  readonly #recorder: EventRecorder;
  readonly #told = new Map<string, string>();

  constructor({ planes, clock, random, incarnation, report }: Runtime, index: GrantPolicyIndex) {
    this.#index = index;
    this.#recorder = new EventRecorder({
      eventsOf: (plane) => planes.client(plane).resource(eventType, anyObject),
      source: { component: "milo-quota-grant-engine", instance: incarnation },
      clock,
      random,
      report: (error) => report("events of grant policies", error),
    });
  }

  /** `object` names what the policy has this problem with. */
  problem(policy: PolicyPlace, object: string, message: string): void {
    if (this.#told.get(object) === message) return;
    const indexed = this.#index.get(policy);
    if (indexed === undefined || this.#told.size >= problemsMax) return;
    this.#told.set(object, message);
    const { name = "", uid = "" } = indexed.policy.metadata;
    const { kind } = grantCreationPolicyDefinition;
    const subject = { apiVersion: quotaApiVersion, kind, namespace: "", name, uid };
    this.#recorder.record(policy.plane, subject, { type: "Warning", reason: "GrantNotMade", message });
  }

  /** All is well with the object: the same problem later is a new one. */
  solved(object: string): void {
    this.#told.delete(object);
  }

  stop(): Promise<void> {
    return this.#recorder.stop();
  }
}
