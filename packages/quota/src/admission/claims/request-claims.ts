import { abortable } from "@milo-quota/kubernetes/client/abortable.ts";
import { ChildAbortController } from "@milo-quota/kubernetes/client/child-abort-controller.ts";
import type { RenderedClaim } from "../../core/policy/claim-policy.ts";
import type { ResourceClaim } from "../../core/resources/resource-claim.ts";
import type { AdmittingClaim } from "../admission-observer.ts";
import { type ClaimOutcome, isIgnored, rejectionOf } from "../answers/claim-outcome.ts";
import { Rejection } from "../answers/rejection.ts";
import type { ConsumerReadiness } from "../consumer-readiness.ts";
import type { ObjectChange } from "../object-change.ts";
import type { PolicyClaim } from "../policies/policy-claim.ts";
import type { QuotaAdmissionOptions } from "../quota-admission-options.ts";
import { ClaimAcquisition } from "./claim-acquisition.ts";
import type { ClaimStream } from "./claim-stream.ts";
import { type Claimant, claimantOf } from "./claimant.ts";
import type { WaiterResult } from "./stream-observer.ts";
import type { Waiter, WaitResult } from "./waiter.ts";
import { type ListedCandidate, withdraw } from "./withdrawal.ts";

type RequestClaimsOptions = Pick<
  QuotaAdmissionOptions,
  "planes" | "registrations" | "streams" | "clock" | "waitMsMax" | "advice" | "report"
> & {
  readonly readiness: ConsumerReadiness;
};

/** The claims of an admitted change. */
export interface AcquiredClaims {
  /** Claims that were not decided, of policies with failurePolicy: Ignore. */
  readonly ignored: readonly ClaimOutcome[];
  readonly granted: readonly AdmittingClaim[];
}

/** A claim that may list our object by now. */
interface StartedClaim extends ListedCandidate {
  readonly plane: string;
  /** Resolves once the claim lists our object. */
  readonly acquired: Promise<ResourceClaim>;
}

class TimeoutError extends Error {
  override readonly name = "TimeoutError";
}

/**
 * The claims of one request, created and decided before its object is stored. Either all are granted, or the request is
 * rejected and none is kept.
 */
export class RequestClaims {
  readonly #options: RequestClaimsOptions;
  readonly #change: ObjectChange;
  readonly #claims: readonly PolicyClaim[];
  readonly #claimant: Claimant;
  readonly #readiness: ConsumerReadiness;
  readonly #started: StartedClaim[] = [];
  #outcomes: readonly ClaimOutcome[] = [];
  /** UIDs of the claims that list our object, by namespace and name. */
  readonly #uids = new Map<string, string>();

  constructor(options: RequestClaimsOptions, change: ObjectChange, claims: readonly PolicyClaim[]) {
    this.#options = options;
    this.#change = change;
    this.#claims = claims;
    this.#claimant = claimantOf(change, options.planes);
    this.#readiness = options.readiness;
  }

  /** In the order of the claims. Empty until all are known. */
  get outcomes(): readonly ClaimOutcome[] {
    return this.#outcomes;
  }

  /** Resolves when every claim is granted or ignored. Throws Rejection otherwise. */
  async acquire(signal: AbortSignal): Promise<AcquiredClaims> {
    const { clock, waitMsMax, advice, registrations } = this.#options;
    const life = new ChildAbortController(signal);
    const waitMs = Math.min(waitMsMax, this.#change.waitMsMax ?? waitMsMax);
    const deadline = clock.after(waitMs, () => life.abort(new TimeoutError("no decision in time")));
    try {
      const outcomes = await Promise.all(this.#claims.map((claim) => this.#outcomeOf(claim, life.signal)));
      this.#outcomes = outcomes;
      const rejection = rejectionOf(outcomes, { object: this.#change, registrations, advice });
      if (rejection !== undefined) throw rejection;
      return { ignored: outcomes.filter(isIgnored), granted: this.#granted(outcomes) };
    } finally {
      deadline.stop();
      life.release();
    }
  }

  /** Removes the object from every claim that lists it, or may list it. */
  async withdraw(): Promise<void> {
    const { clock, waitMsMax, report } = this.#options;
    const life = new AbortController();
    const deadline = clock.after(waitMsMax, () => life.abort(new TimeoutError("not withdrawn in time")));
    await Promise.all(
      this.#started.map((started) =>
        this.#withdraw(started, life.signal).catch((error: unknown) => report(`withdrawing ${started.name}`, error)),
      ),
    );
    deadline.stop();
  }

  /**
   * Waits for the acquisition to end first, because it could list the object after we looked. A stored object may also be
   * listed by concurrent requests: then we withdraw only from a claim that we know lists it because of this request.
   */
  async #withdraw(started: StartedClaim, signal: AbortSignal): Promise<void> {
    const claim = await abortable(started.acquired, signal).catch(() => undefined);
    if (this.#claimant.isStored && claim === undefined) return;
    const { uid = "" } = claim?.metadata ?? {};
    const listed = this.#claimant.isStored ? { ...started, claim: uid } : started;
    await this.#options.streams.use(listed.plane, (stream) =>
      abortable(
        stream.mutex.run(keyOf(listed), () => withdraw(listed, signal)),
        signal,
      ),
    );
  }

  /** Never rejects: a failure of one claim must not hide the outcomes of the others. */
  async #outcomeOf({ policy, claim, isGrowth }: PolicyClaim, signal: AbortSignal): Promise<ClaimOutcome> {
    const settled = (outcome: ClaimOutcome["outcome"]): ClaimOutcome => ({ policy, isGrowth, outcome });
    try {
      return settled(await this.#wait(claim, signal));
    } catch (error) {
      return settled(error instanceof TimeoutError ? { result: "timeout" } : { result: "failed", error });
    }
  }

  #granted(outcomes: readonly ClaimOutcome[]): readonly AdmittingClaim[] {
    return this.#claims.flatMap(({ policy, claim: { namespace, name } }, at) => {
      const uid = this.#uids.get(keyOf({ namespace, name }));
      if (outcomes[at]?.outcome.result !== "granted" || uid === undefined) return [];
      return [{ policy: policy.policy.metadata.name ?? "", namespace, name, uid }];
    });
  }

  async #wait(wanted: RenderedClaim, signal: AbortSignal): Promise<WaitResult> {
    const { planes, streams } = this.#options;
    const plane = planes.planeOf(wanted.consumer) ?? this.#change.plane;
    return streams.use(plane, async (stream) => {
      await this.#untilOpen(stream, signal);
      const waiter = stream.join(wanted.namespace, wanted.name, this.#claimant.uid);
      let result: WaiterResult = "unregistered";
      try {
        const decision = await this.#decision({ stream, waiter, plane }, wanted, signal);
        result = waiterResults[decision.result];
        return decision;
      } catch (error) {
        if (error instanceof TimeoutError) result = "timeout";
        throw error;
      } finally {
        stream.leave(waiter, result);
      }
    });
  }

  async #untilOpen(stream: ClaimStream, signal: AbortSignal): Promise<void> {
    if (stream.isOpen) return;
    try {
      await abortable(stream.open, signal);
    } catch (error) {
      if (!(error instanceof TimeoutError)) throw error;
      throw Rejection.timeout(`claims cannot be watched: ${stream.error}`);
    }
  }

  async #decision(
    { stream, waiter, plane }: JoinedStream,
    wanted: RenderedClaim,
    signal: AbortSignal,
  ): Promise<WaitResult> {
    const { namespace, name } = wanted;
    const client = this.#options.planes.client(plane);
    const acquisition = new ClaimAcquisition(client, wanted, this.#claimant);
    const acquired = stream.mutex.run(keyOf(wanted), () =>
      this.#readiness.withNamespace({ claim: wanted, plane }, signal, () => acquisition.acquire(signal)),
    );
    this.#started.push({ client, plane, namespace, name, candidate: this.#claimant.uid, acquired });
    const claim = await abortable(acquired, signal);
    this.#uids.set(keyOf(wanted), claim.metadata.uid ?? "");
    waiter.follow(claim);
    return abortable(waiter.done, signal);
  }
}

interface JoinedStream {
  readonly stream: ClaimStream;
  readonly waiter: Waiter;
  readonly plane: string;
}

const waiterResults: Readonly<Record<WaitResult["result"], WaiterResult>> = {
  granted: "granted",
  denied: "denied",
  invalid: "denied",
  lost: "deleted",
  timeout: "timeout",
};

function keyOf({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `${namespace}/${name}`;
}
