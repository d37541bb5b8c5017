import { type ReconcileResult, reconciled, WorkQueue } from "@milo-quota/kubernetes/client/queue/work-queue.ts";
import type { PlaneObjectKey } from "@milo-quota/kubernetes/client/watch/plane-object-key.ts";
import { phaseOfState } from "../../../core/resources/resource-claim.ts";
import type { Running, Runtime } from "../../../views/runtime.ts";
import type { Views } from "../../../views/views.ts";
import { objectId } from "../../object-id.ts";
import { shouldReport } from "../../status/conflicts.ts";
import type { Leadership } from "../writer-deps.ts";
import { ClaimStore } from "./claim-store.ts";

export interface ClaimPhasesOptions {
  readonly runtime: Runtime;
  readonly views: Pick<Views, "claims" | "claimsWithoutPhase">;
  readonly leadership: Leadership;
}

/** Gives claims their phase that an earlier version stored without one. Finds them only once, at the start of a term. */
export class ClaimPhases implements Running {
  readonly #options: ClaimPhasesOptions;
  readonly #claims: ClaimStore;
  readonly #queue: WorkQueue<PlaneObjectKey>;

  constructor(options: ClaimPhasesOptions) {
    this.#options = options;
    const { runtime, views } = options;
    this.#claims = new ClaimStore(runtime.planes);
    this.#queue = new WorkQueue({
      reconcile: (key, signal) => this.#reconcile(key, signal),
      idOf: objectId,
      laneOf: ({ plane }) => plane,
      clock: runtime.clock,
      random: runtime.random,
      report: (error, { name }, failures) => {
        if (shouldReport(error, failures)) runtime.report(`phase of claim ${name}`, error);
      },
    });
    void views.claims.synced.then(() => {
      for (const key of views.claimsWithoutPhase.values()) this.#queue.add(key);
    });
  }

  stop(): Promise<void> {
    return this.#queue.stop();
  }

  async #reconcile(key: PlaneObjectKey, signal: AbortSignal): Promise<ReconcileResult> {
    const claim = await this.#claims.find(key, signal);
    if (claim === undefined || claim.status.phase !== undefined) return reconciled;
    this.#options.leadership.fence();
    const status = { ...claim.status, phase: phaseOfState[claim.decision.state] };
    const { outcome } = await this.#claims.write(key, { claim, status }, signal);
    return outcome === "differs" ? this.#reconcile(key, signal) : reconciled;
  }
}
