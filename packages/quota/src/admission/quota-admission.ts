import { abortable } from "@milo-quota/kubernetes/client/abortable.ts";
import type { StorageOutcome } from "@milo-quota/kubernetes/protocol/admission-verdict.ts";
import type { Figures } from "../core/ledger/type-ledger.ts";
import type { Enforcement } from "../core/resources/enforcement.ts";
import { quotaApiVersion } from "../core/resources/well-known.ts";
import type { AdmissionResult } from "./admission-observer.ts";
import { BucketReadings } from "./answers/bucket-readings.ts";
import { failureOf, resultIfRejected } from "./answers/claim-outcome.ts";
import { Forecast, type ForecastClaim } from "./answers/forecast.ts";
import { Rejection, type Shortage } from "./answers/rejection.ts";
import { type UsageView, unknownUsage } from "./answers/usage-view.ts";
import { usageWarnings } from "./answers/usage-warnings.ts";
import { RequestClaims } from "./claims/request-claims.ts";
import { type TransactionalClaims, transactionalClaims } from "./claims/transactional-claims.ts";
import { ConsumerReadiness } from "./consumer-readiness.ts";
import { allowed, type ObjectChange, type Verdict } from "./object-change.ts";
import { claimInput } from "./policies/claim-input.ts";
import { type Need, needsOf } from "./policies/needs.ts";
import type { PolicyClaim } from "./policies/policy-claim.ts";
import type { ClaimPolicy } from "./policies/policy-evaluation.ts";
import { notCheckedPrefix, type RenderedClaims, renderClaims } from "./policies/rendered-claims.ts";
import type { QuotaAdmissionOptions } from "./quota-admission-options.ts";

/** How often a transaction is tried whose claims conflict with stored objects. */
const attemptsMax = 3;

/** Admits objects that fit into their consumers' quota. Requests that cannot be decided are rejected. */
export class QuotaAdmission {
  readonly #options: QuotaAdmissionOptions;
  readonly #claimOptions: QuotaAdmissionOptions & { readonly readiness: ConsumerReadiness };
  readonly #usage: UsageView;
  readonly #forecast: Forecast;
  /** For usage warnings, when the bucket writer runs in another process. */
  readonly #readings: BucketReadings;
  readonly #withdrawals = new Set<Promise<void>>();
  /** The withdrawals of claims that were granted: they free quota. */
  readonly #grantedWithdrawals = new Set<Promise<void>>();
  #completedGrantedWithdrawals = 0;

  constructor(options: QuotaAdmissionOptions) {
    this.#options = options;
    this.#claimOptions = { ...options, readiness: new ConsumerReadiness(options) };
    const { planes, registrations, clock, report, usage = unknownUsage } = options;
    this.#usage = usage;
    this.#forecast = new Forecast({ planes, registrations, usage });
    this.#readings = new BucketReadings({ planes, clock, report });
  }

  async decide(change: ObjectChange, signal: AbortSignal): Promise<Verdict> {
    const { enforcement: level } = this.#options;
    if (level === "Off") return allowed;
    if (!this.#options.policies.isReady) {
      return level === "Shadow" ? allowed : rejected(Rejection.undecided("policies are still being loaded"));
    }
    const policies = this.#policiesFor(change);
    if (policies.length === 0) return allowed;
    return this.#orRejected(() => this.#decide(change, policies, level, signal));
  }

  async #orRejected(decide: () => Promise<Verdict>): Promise<Verdict> {
    try {
      return await decide();
    } catch (error) {
      if (error instanceof Rejection) return rejected(error);
      this.#options.report("admission", error);
      return rejected(Rejection.undecided(error instanceof Error ? error.message : String(error)));
    }
  }

  /** Waits until all claims of rejected requests are withdrawn. */
  async stop(): Promise<void> {
    this.#readings.stop();
    while (this.#withdrawals.size > 0) await Promise.all(this.#withdrawals);
  }

  #policiesFor(change: ObjectChange): readonly ClaimPolicy[] {
    const { policies, observer } = this.#options;
    const kind = { apiGroup: change.kind.group, kind: change.kind.kind };
    for (const { policy } of policies.disabledFor(kind, change.plane)) {
      observer.onDecided?.(policy, change, "policy_disabled");
    }
    return policies.policiesFor(kind, change.plane);
  }

  async #decide(
    change: ObjectChange,
    policies: readonly ClaimPolicy[],
    level: Exclude<Enforcement, "Off">,
    signal: AbortSignal,
  ): Promise<Verdict> {
    const { planes, clock, observer } = this.#options;
    const isShadow = ({ policy }: ClaimPolicy): boolean => level === "Shadow" || policy.mode === "Shadow";
    const claims = renderClaims(policies, { change, input: claimInput(change, planes, clock), isShadow, observer });
    const { enforced, reduced, shadowed, failures } = claims;
    if (shadowed.length > 0) await this.#forecastShadowed(claims, change, signal);
    if (failures.length > 0) throw Rejection.failedToEvaluate(failures);
    if (enforced.length + reduced.length === 0) return allowed;
    if (change.dryRun) return enforced.length === 0 ? allowed : this.#decideDryRun(enforced, change, signal);
    await this.#untilGranted(enforced, change, signal);
    return this.#inTransaction(claims, change, 1) ?? this.#beforeObject(claims, change, signal);
  }

  /** Creates the claims and has them decided before the object is stored. Reduced claims follow after it. */
  async #beforeObject({ enforced }: RenderedClaims, change: ObjectChange, signal: AbortSignal): Promise<Verdict> {
    return enforced.length === 0 ? allowed : this.#claim(enforced, change, signal);
  }

  /** Stores the claims in one transaction with the object. Undefined when they cannot be decided like that. */
  #inTransaction(rendered: RenderedClaims, change: ObjectChange, attempt: number): Verdict | undefined {
    const { transactions, newUid } = this.#options;
    if (transactions === undefined || newUid === undefined) return undefined;
    const { enforced, reduced } = rendered;
    const claims = this.#inPlanes(enforced, change);
    const transactional = transactionalClaims(transactions, newUid, change, { claims, reduced });
    if (transactional === undefined) return undefined;
    const { companions } = transactional;
    const orElse = async (why: "declined" | "conflict", signal: AbortSignal): Promise<Verdict> => {
      const mayTryAgain = why === "conflict" && attempt < attemptsMax;
      const again = mayTryAgain ? this.#inTransaction(rendered, change, attempt + 1) : undefined;
      return again ?? this.#orRejected(() => this.#beforeObject(rendered, change, signal));
    };
    const onSettled = (outcome: StorageOutcome): void => {
      if (outcome.stored)
        this.#onStored(rendered, change, transactional, outcome.object.metadata.resourceVersion ?? "");
    };
    return { allowed: true, transaction: { companions, orElse }, onSettled };
  }

  #onStored(
    { enforced, rendered }: RenderedClaims,
    change: ObjectChange,
    { granted }: TransactionalClaims,
    version: string,
  ): void {
    const { registrations, observer } = this.#options;
    const claims = enforced.map(({ policy, claim: { namespace, name } }, at) => {
      return { policy: policy.policy.metadata.name ?? "", namespace, name, uid: granted[at]?.uid ?? "" };
    });
    if (claims.length > 0) observer.onAdmitted?.(change, claims);
    observer.onStored?.(change, version, { rendered, claims: granted });
    this.#observeResults(enforced, change, () => "granted");
    const needs = needsOf(this.#inPlanes(enforced, change));
    for (const warning of usageWarnings(needs, (need) => this.#figuresOf(need), registrations)) change.warn(warning);
  }

  /** For a new consumer, waits for the grants that policies are about to create. */
  async #untilGranted(claims: readonly PolicyClaim[], change: ObjectChange, signal: AbortSignal): Promise<void> {
    const { readiness } = this.#claimOptions;
    for (const claim of this.#inPlanes(claims, change)) {
      // Best effort: if the consumer cannot be read, the claims are decided with the grants there are.
      await readiness.untilGranted(claim, signal)?.catch(() => undefined);
    }
  }

  async #claim(policyClaims: readonly PolicyClaim[], change: ObjectChange, signal: AbortSignal): Promise<Verdict> {
    const { registrations, observer } = this.#options;
    const needs = needsOf(this.#inPlanes(policyClaims, change));
    if (!this.#usage.isSoleWriter) this.#readings.start(needs.filter((need) => !this.#isUsageKnown(need)));
    let claims = new RequestClaims(this.#claimOptions, change, policyClaims);
    const completedBefore = this.#completedGrantedWithdrawals;
    try {
      const { ignored, granted } = await claims.acquire(signal).catch(async (error: unknown) => {
        const hasFreed = this.#grantedWithdrawals.size > 0 || this.#completedGrantedWithdrawals !== completedBefore;
        if (!hasFreed || !isInsufficient(error)) throw error;
        // A concurrent request withdrew granted claims after it was rejected: the freed quota may suffice for this one.
        await abortable(Promise.all([claims.withdraw(), ...this.#grantedWithdrawals]), signal);
        claims = new RequestClaims(this.#claimOptions, change, policyClaims);
        return claims.acquire(signal);
      });
      observer.onAdmitted?.(change, granted);
      for (const each of ignored) change.warn(`${notCheckedPrefix}: ${failureOf(each)?.because}`);
      this.#observeResults(policyClaims, change, ({ policy }) =>
        ignored.some((each) => each.policy === policy) ? "ignored" : "granted",
      );
    } catch (error) {
      const { outcomes } = claims;
      // Granted claims are withdrawn before the rejection is sent, so that the client finds their quota free.
      if (outcomes.some(({ outcome: { result } }) => result === "granted")) {
        await abortable(this.#withdrawGranted(claims), signal).catch(() => undefined);
      } else this.#track(claims.withdraw());
      this.#observeResults(policyClaims, change, (_, at) =>
        outcomes[at] === undefined ? "undecided" : resultIfRejected(outcomes[at]),
      );
      throw error;
    }
    for (const warning of usageWarnings(needs, (need) => this.#figuresOf(need), registrations)) change.warn(warning);
    const onSettled = ({ stored }: StorageOutcome): void => void (stored || this.#withdrawGranted(claims));
    return { allowed: true, onSettled };
  }

  #isUsageKnown({ key, dimensionKey }: Need): boolean {
    return this.#usage.figuresOf(key, dimensionKey) !== undefined;
  }

  /** Usage after the claims of this request were granted. */
  #figuresOf(need: Need): Figures | undefined {
    const known = this.#usage.figuresOf(need.key, need.dimensionKey);
    return known ?? (this.#usage.isSoleWriter ? undefined : this.#readings.afterTaking(need));
  }

  async #decideDryRun(claims: readonly PolicyClaim[], change: ObjectChange, signal: AbortSignal): Promise<Verdict> {
    const each = await this.#forecast.shortages(this.#inPlanes(claims, change), change, signal);
    const shortages = each.flat();
    const ifFitting = shortages.length === 0 ? "granted" : "withdrawn";
    this.#observeResults(claims, change, (_, at) => (each[at]?.length === 0 ? ifFitting : "denied"));
    return shortages.length === 0 ? allowed : rejected(Rejection.insufficient(shortages, change, this.#options.advice));
  }

  /**
   * Reports what policies in Shadow mode would have rejected. The forecast includes the enforced claims, because Enforce
   * would decide all of them together.
   */
  async #forecastShadowed(
    { enforced, shadowed }: RenderedClaims,
    change: ObjectChange,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      const claims = this.#inPlanes([...enforced, ...shadowed], change);
      const shortages = await this.#forecast.shortages(claims, change, signal);
      for (const [at, { policy }] of shadowed.entries()) {
        this.#reportShadow(policy, change, shortages[enforced.length + at] ?? []);
      }
    } catch (error) {
      this.#options.report("admission in Shadow mode", error);
    }
  }

  #reportShadow(claimPolicy: ClaimPolicy, change: ObjectChange, shortages: readonly Shortage[]): void {
    const { observer } = this.#options;
    const { policy } = claimPolicy;
    observer.onDecided?.(policy, change, shortages.length === 0 ? "shadow_granted" : "shadow_denied");
    if (shortages.length === 0) return;
    // Clients truncate long warnings, so the beginning must say what would happen.
    change.warn(`policy "${policy.metadata.name}" is in Shadow mode; Enforce would reject this: ${textOf(shortages)}`);
    observer.onShadowRejection?.(policy, change, textOf(shortages));
    if (!change.dryRun) this.#recordShadow(claimPolicy, change, textOf(shortages));
  }

  #recordShadow({ plane, policy }: ClaimPolicy, { kind, namespace, name }: ObjectChange, text: string): void {
    const { name: policyName = "", uid = "" } = policy.metadata;
    const subject = { apiVersion: quotaApiVersion, kind: "ClaimCreationPolicy", namespace: "", name: policyName, uid };
    const message = `${kind.kind} ${namespace === "" ? name : `${namespace}/${name}`} would have been rejected: ${text}`;
    this.#options.events?.record(plane, subject, { type: "Warning", reason: "WouldBeRejected", message });
  }

  #inPlanes(claims: readonly PolicyClaim[], change: ObjectChange): readonly ForecastClaim[] {
    const { planes } = this.#options;
    return claims.map(({ claim, isGrowth }) => {
      return { claim, plane: planes.planeOf(claim.consumer) ?? change.plane, isGrowth };
    });
  }

  #observeResults(
    claims: readonly PolicyClaim[],
    change: ObjectChange,
    result: (claim: PolicyClaim, at: number) => AdmissionResult,
  ): void {
    const { observer } = this.#options;
    for (const [at, claim] of claims.entries()) observer.onDecided?.(claim.policy.policy, change, result(claim, at));
  }

  /** Withdraws the granted claims of an object that was not stored after all. */
  #withdrawGranted(claims: RequestClaims): Promise<void> {
    const work = claims.withdraw().finally(() => {
      this.#grantedWithdrawals.delete(work);
      this.#completedGrantedWithdrawals += 1;
    });
    this.#grantedWithdrawals.add(work);
    this.#track(work);
    return work;
  }

  #track(work: Promise<void>): void {
    this.#withdrawals.add(work);
    void work.finally(() => this.#withdrawals.delete(work));
  }
}

function rejected({ status }: Rejection): Verdict {
  return { allowed: false, status };
}

function isInsufficient(error: unknown): boolean {
  return error instanceof Rejection && error.kind === "insufficient";
}

function textOf(shortages: readonly Shortage[]): string {
  return shortages.map(({ message }) => message).join("; ");
}
