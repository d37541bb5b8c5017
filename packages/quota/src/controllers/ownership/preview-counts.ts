import { again, type Outcome, settled, WorkQueue } from "@milo-quota/kubernetes/client/queue/work-queue.ts";
import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { claimPoliciesType } from "../../views/quota-types.ts";
import type { Running, Runtime } from "../../views/runtime.ts";
import type { PolicyPlace } from "../../views/watched-policies.ts";
import { inTime } from "../in-time.ts";
import type { ClaimPolicies, PolicyState } from "./claim-policies.ts";
import type { ObjectAddress } from "./objects/governed-object.ts";
import { isOlder } from "./objects/object-plan.ts";
import type { ObjectFacts } from "./objects/object-reader.ts";

export interface PreviewCountsOptions {
  readonly runtime: Runtime;
  readonly policies: ClaimPolicies;
  /** How many objects older than the policy match it and hold no claim; undefined while that is not known. */
  readonly countFor: (policy: PolicyState) => number | undefined;
}

/** Counting goes through all objects of a kind: much that happens at once is counted once. */
const gatherMs = 5_000;
const unknownMs = 10_000;

/** Shows in the status of policies how many objects would be adopted. Writes that one field, when it changes. */
export class PreviewCounts implements Running {
  readonly #options: PreviewCountsOptions;
  readonly #queue: WorkQueue<PolicyPlace>;

  constructor(options: PreviewCountsOptions) {
    this.#options = options;
    const { clock, random, report } = options.runtime;
    this.#queue = new WorkQueue<PolicyPlace>({
      work: (place, signal) => inTime(clock, signal, (life) => this.#show(place, life)),
      idOf: ({ plane, name }) => `${plane}\n${name}`,
      laneOf: ({ plane }) => plane,
      told: options.runtime.toldQueues?.("previews"),
      clock,
      random,
      report: (error, { name }) => report(`existing objects of policy ${name}`, error),
    });
  }

  /** What is to be counted may have changed. */
  touch({ plane, name }: PolicyPlace): void {
    this.#queue.addAfter({ plane, name }, gatherMs);
  }

  /** Something happened to an object, or to its claims. Those that came after a policy are in no preview. */
  heardOf({ kind, place }: ObjectAddress, { created }: Pick<ObjectFacts, "created">): void {
    for (const { plane, policy, readySince = "" } of this.#options.policies.policiesFor(kind, place.plane)) {
      if (isOlder(created, readySince)) this.touch({ plane, name: policy.metadata.name ?? "" });
    }
  }

  stop(): Promise<void> {
    return this.#queue.stop();
  }

  async #show(place: PolicyPlace, signal: AbortSignal): Promise<Outcome> {
    const { policies, countFor, runtime } = this.#options;
    const state = policies.get(place);
    if (state?.verdict.state !== "ready" || state.readySince === undefined) return settled;
    const existingObjectCount = countFor(state);
    if (existingObjectCount === undefined) return again(unknownMs);
    const { metadata, status } = state.policy;
    if (Number(status.existingObjectCount ?? -1) === existingObjectCount) return settled;
    const { uid, resourceVersion } = metadata;
    const body = { metadata: { uid, resourceVersion }, status: { existingObjectCount } };
    const client = runtime.planes.client(place.plane).resource(claimPoliciesType, anyObject);
    try {
      await client.patch({ name: place.name }, { type: "merge", body }, { subresource: "status" }, signal);
    } catch (error) {
      if (error instanceof StatusError && [404, 409].includes(error.status.code)) return again(gatherMs);
      throw error;
    }
    return settled;
  }
}
