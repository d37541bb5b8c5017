import {
  type ReconcileResult,
  reconciled,
  requeueAfter,
  WorkQueue,
} from "@milo-quota/kubernetes/client/queue/work-queue.ts";
import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { PolicyKey } from "../../views/policy-cache.ts";
import { claimPoliciesType } from "../../views/quota-types.ts";
import type { Running, Runtime } from "../../views/runtime.ts";
import { withTimeout } from "../with-timeout.ts";
import type { ClaimPolicies, PolicyState } from "./claim-policies.ts";
import type { ObjectAddress } from "./objects/object-address.ts";
import { isOlder } from "./objects/object-plan.ts";
import type { ObjectFacts } from "./objects/object-reader.ts";

export interface PreviewCountsOptions {
  readonly runtime: Runtime;
  readonly policies: ClaimPolicies;
  /** Counts objects older than the policy that match it and have no claim; undefined until the cache has synced. */
  readonly countFor: (policy: PolicyState) => number | undefined;
}

/** Counting visits all objects of a kind, so that changes are coalesced. */
const coalesceMs = 5_000;
const retryMs = 10_000;

/** Writes status.existingObjectCount of claim policies: how many objects `Adopt` would create claims for. */
export class PreviewCounts implements Running {
  readonly #options: PreviewCountsOptions;
  readonly #queue: WorkQueue<PolicyKey>;

  constructor(options: PreviewCountsOptions) {
    this.#options = options;
    const { clock, random, report } = options.runtime;
    this.#queue = new WorkQueue<PolicyKey>({
      reconcile: (key, signal) => withTimeout(clock, signal, (limit) => this.#reconcile(key, limit)),
      idOf: ({ plane, name }) => `${plane}\n${name}`,
      laneOf: ({ plane }) => plane,
      observer: options.runtime.queueObservers?.("previews"),
      clock,
      random,
      report: (error, { name }) => report(`existing objects of policy ${name}`, error),
    });
  }

  /** The policy has changed. */
  onPolicy({ plane, name }: PolicyKey): void {
    this.#queue.addAfter({ plane, name }, coalesceMs);
  }

  /** An object or its claims have changed. Objects newer than the policy are not counted. */
  onObject({ kind, key }: ObjectAddress, { created }: Pick<ObjectFacts, "created">): void {
    for (const { plane, policy, enforcedSince = "" } of this.#options.policies.policiesFor(kind, key.plane)) {
      if (isOlder(created, enforcedSince)) this.onPolicy({ plane, name: policy.metadata.name ?? "" });
    }
  }

  stop(): Promise<void> {
    return this.#queue.stop();
  }

  async #reconcile(key: PolicyKey, signal: AbortSignal): Promise<ReconcileResult> {
    const { policies, countFor, runtime } = this.#options;
    const state = policies.get(key);
    if (state?.verdict.state !== "ready" || state.enforcedSince === undefined) return reconciled;
    const existingObjectCount = countFor(state);
    if (existingObjectCount === undefined) return requeueAfter(retryMs);
    const { metadata, status } = state.policy;
    if (Number(status.existingObjectCount ?? -1) === existingObjectCount) return reconciled;
    const { uid, resourceVersion } = metadata;
    const body = { metadata: { uid, resourceVersion }, status: { existingObjectCount } };
    const client = runtime.planes.client(key.plane).resource(claimPoliciesType, anyObject);
    try {
      await client.patch({ name: key.name }, { type: "merge", body }, { subresource: "status" }, signal);
    } catch (error) {
      if (error instanceof StatusError && [404, 409].includes(error.status.code)) return requeueAfter(coalesceMs);
      throw error;
    }
    return reconciled;
  }
}
