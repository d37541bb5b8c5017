import { untilAborted } from "@milo-quota/kubernetes/client/until-aborted.ts";
import type { Outcome } from "@milo-quota/kubernetes/protocol/admission-verdict.ts";
import type { Figures } from "../core/ledger/type-ledger.ts";
import type { Enforcement } from "../core/resources/enforcement.ts";
import { quotaApiVersion } from "../core/resources/well-known.ts";
import type { AdmissionResult } from "./admission-listener.ts";
import { BucketReadings } from "./answers/bucket-readings.ts";
import { Forecast } from "./answers/forecast.ts";
import { failureOf, resultIfRefused } from "./answers/judgement.ts";
import { Refused, type Shortage } from "./answers/refusals.ts";
import { type UsageView, unknownUsage } from "./answers/usage-view.ts";
import { usageWarnings } from "./answers/usage-warnings.ts";
import { ClaimRound } from "./claims/claim-round.ts";
import { type StoredTogether, storedTogether } from "./claims/stored-together.ts";
import { allowed, type ObjectChange, type Verdict } from "./object-change.ts";
import { claimInput } from "./policies/claim-input.ts";
import { type Need, needsOf, type PlacedClaim } from "./policies/needs.ts";
import type { PolicyClaim } from "./policies/policy-claim.ts";
import { notChecked, type Wishes, wishesOf } from "./policies/policy-wishes.ts";
import type { ClaimPolicy } from "./policies/wanted-claims.ts";
import { Provision } from "./provision.ts";
import type { QuotaAdmissionOptions } from "./quota-admission-options.ts";

/** How often a transaction is tried whose claims conflict with what is stored. */
const attemptsMax = 3;

/** Lets objects in that quota is there for. What cannot be decided is not let in. */
export class QuotaAdmission {
  readonly #options: QuotaAdmissionOptions;
  readonly #roundOptions: QuotaAdmissionOptions & { readonly provision: Provision };
  readonly #usage: UsageView;
  readonly #forecast: Forecast;
  /** For warnings, where this process does not know how much is used. */
  readonly #readings: BucketReadings;
  readonly #underWay = new Set<Promise<void>>();
  /** Of these, what takes back claims that were granted. */
  readonly #returning = new Set<Promise<void>>();
  /** How often that is over. */
  #returned = 0;

  constructor(options: QuotaAdmissionOptions) {
    this.#options = options;
    this.#roundOptions = { ...options, provision: new Provision(options) };
    const { planes, registrations, clock, report, usage = unknownUsage } = options;
    this.#usage = usage;
    this.#forecast = new Forecast({ planes, registrations, usage });
    this.#readings = new BucketReadings({ planes, clock, report });
  }

  async decide(change: ObjectChange, signal: AbortSignal): Promise<Verdict> {
    const { enforcement: level } = this.#options;
    if (level === "Off") return allowed;
    if (!this.#options.policies.isReady) {
      return level === "Shadow" ? allowed : refusal(Refused.busy("policies are still being read"));
    }
    const policies = this.#policiesFor(change);
    if (policies.length === 0) return allowed;
    return this.#orRefused(() => this.#decide(change, policies, level, signal));
  }

  async #orRefused(decide: () => Promise<Verdict>): Promise<Verdict> {
    try {
      return await decide();
    } catch (error) {
      if (error instanceof Refused) return refusal(error);
      this.#options.report("admission", error);
      return refusal(Refused.busy(error instanceof Error ? error.message : String(error)));
    }
  }

  /** Finishes taking back what was claimed in vain. */
  async stop(): Promise<void> {
    this.#readings.stop();
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  #policiesFor(change: ObjectChange): readonly ClaimPolicy[] {
    const { policies, told } = this.#options;
    const kind = { apiGroup: change.kind.group, kind: change.kind.kind };
    for (const { policy } of policies.disabledFor(kind, change.plane)) {
      told.decided?.(policy, change, "policy_disabled");
    }
    return policies.policiesFor(kind, change.plane);
  }

  async #decide(
    change: ObjectChange,
    policies: readonly ClaimPolicy[],
    level: Exclude<Enforcement, "Off">,
    signal: AbortSignal,
  ): Promise<Verdict> {
    const { planes, clock, told } = this.#options;
    const isShadow = ({ policy }: ClaimPolicy): boolean => level === "Shadow" || policy.mode === "Shadow";
    const wishes = wishesOf(policies, { change, input: claimInput(change, planes, clock), isShadow, told });
    const { enforced, reduced, shadowed, failures } = wishes;
    if (shadowed.length > 0) await this.#watchOnly(wishes, change, signal);
    if (failures.length > 0) throw Refused.failedToEvaluate(failures);
    if (enforced.length + reduced.length === 0) return allowed;
    if (change.dryRun) return enforced.length === 0 ? allowed : this.#tryOnly(enforced, change, signal);
    await this.#untilGranted(enforced, change, signal);
    return this.#inTransaction(wishes, change, 1) ?? this.#byItself(wishes, change, signal);
  }

  /** Claims are decided by themselves, before the object is stored; what is given back follows it. */
  async #byItself({ enforced }: Wishes, change: ObjectChange, signal: AbortSignal): Promise<Verdict> {
    return enforced.length === 0 ? allowed : this.#claim(enforced, change, signal);
  }

  /** Everything is stored in one transaction with the object; undefined when it cannot be decided like that. */
  #inTransaction(wishes: Wishes, change: ObjectChange, attempt: number): Verdict | undefined {
    const { transactions, newUid } = this.#options;
    if (transactions === undefined || newUid === undefined) return undefined;
    const { enforced, reduced } = wishes;
    const claims = this.#placed(enforced, change);
    const together = storedTogether(transactions, newUid, change, { claims, reduced });
    if (together === undefined) return undefined;
    const { companions } = together;
    const orElse = async (why: "declined" | "conflict", signal: AbortSignal): Promise<Verdict> => {
      const mayTryAgain = why === "conflict" && attempt < attemptsMax;
      const again = mayTryAgain ? this.#inTransaction(wishes, change, attempt + 1) : undefined;
      return again ?? this.#orRefused(() => this.#byItself(wishes, change, signal));
    };
    const settled = (outcome: Outcome): void => {
      if (outcome.stored) this.#stored(wishes, change, together, outcome.object.metadata.resourceVersion ?? "");
    };
    return { allowed: true, together: { companions, orElse }, settled };
  }

  #stored({ enforced, rendered }: Wishes, change: ObjectChange, { granted }: StoredTogether, version: string): void {
    const { registrations, told } = this.#options;
    const claims = enforced.map(({ policy, claim: { namespace, name } }, at) => {
      return { policy: policy.policy.metadata.name ?? "", namespace, name, uid: granted[at]?.uid ?? "" };
    });
    if (claims.length > 0) told.admitted?.(change, claims);
    told.stored?.(change, version, { rendered, claims: granted });
    this.#tell(enforced, change, () => "granted");
    const needs = needsOf(this.#placed(enforced, change));
    for (const warning of usageWarnings(needs, (need) => this.#figuresOf(need), registrations)) change.warn(warning);
  }

  /** For a consumer that has just come, waits for what policies are about to grant it. */
  async #untilGranted(claims: readonly PolicyClaim[], change: ObjectChange, signal: AbortSignal): Promise<void> {
    const { provision } = this.#roundOptions;
    for (const placed of this.#placed(claims, change)) {
      await provision.granted(placed, signal)?.catch(() => undefined); // whoever cannot be asked is not waited for
    }
  }

  async #claim(claims: readonly PolicyClaim[], change: ObjectChange, signal: AbortSignal): Promise<Verdict> {
    const { registrations, told } = this.#options;
    const needs = needsOf(this.#placed(claims, change));
    if (!this.#usage.isAlone) this.#readings.begin(needs.filter((need) => !this.#knows(need)));
    let round = new ClaimRound(this.#roundOptions, change, claims);
    const returnedBefore = this.#returned;
    try {
      const { ignored, claims: granted } = await round.run(signal).catch(async (error: unknown) => {
        const isReturned = this.#returning.size > 0 || this.#returned !== returnedBefore;
        if (!isReturned || !isShort(error)) throw error;
        // What somebody else had and was refused is free for whoever comes after that.
        await untilAborted(Promise.all([round.withdraw(), ...this.#returning]), signal);
        round = new ClaimRound(this.#roundOptions, change, claims);
        return round.run(signal);
      });
      told.admitted?.(change, granted);
      for (const each of ignored) change.warn(`${notChecked}: ${failureOf(each)?.because}`);
      this.#tell(claims, change, ({ policy }) =>
        ignored.some((each) => each.policy === policy) ? "ignored" : "granted",
      );
    } catch (error) {
      const { heard } = round;
      // Whoever hears the refusal finds free what of it was granted.
      if (heard.some(({ heard: { result } }) => result === "granted")) {
        await untilAborted(this.#return(round), signal).catch(() => undefined);
      } else this.#keep(round.withdraw());
      this.#tell(claims, change, (_, at) => (heard[at] === undefined ? "undecided" : resultIfRefused(heard[at])));
      throw error;
    }
    for (const warning of usageWarnings(needs, (need) => this.#figuresOf(need), registrations)) change.warn(warning);
    const settled = ({ stored }: Outcome): void => void (stored || this.#return(round));
    return { allowed: true, settled };
  }

  #knows({ key, dimensionKey }: Need): boolean {
    return this.#usage.figuresOf(key, dimensionKey) !== undefined;
  }

  /** How much is used now that something was taken. */
  #figuresOf(need: Need): Figures | undefined {
    const known = this.#usage.figuresOf(need.key, need.dimensionKey);
    return known ?? (this.#usage.isAlone ? undefined : this.#readings.taken(need));
  }

  /** A dry run is told what would become of it, and nothing is written. */
  async #tryOnly(claims: readonly PolicyClaim[], change: ObjectChange, signal: AbortSignal): Promise<Verdict> {
    const each = await this.#forecast.shortages(this.#placed(claims, change), change, signal);
    const shortages = each.flat();
    const ifFitting = shortages.length === 0 ? "granted" : "withdrawn";
    this.#tell(claims, change, (_, at) => (each[at]?.length === 0 ? ifFitting : "denied"));
    return shortages.length === 0 ? allowed : refusal(Refused.insufficient(shortages, this.#options.advice));
  }

  /**
   * Policies that only watch tell what they would have refused, and refuse nothing. Were they enforced, they would be
   * decided together with the others.
   */
  async #watchOnly({ enforced, shadowed }: Wishes, change: ObjectChange, signal: AbortSignal): Promise<void> {
    try {
      const claims = this.#placed([...enforced, ...shadowed], change);
      const shortages = await this.#forecast.shortages(claims, change, signal);
      for (const [at, { policy }] of shadowed.entries()) {
        this.#tellShadow(policy, change, shortages[enforced.length + at] ?? []);
      }
    } catch (error) {
      this.#options.report("admission, only watching", error);
    }
  }

  #tellShadow(claimPolicy: ClaimPolicy, change: ObjectChange, shortages: readonly Shortage[]): void {
    const { told } = this.#options;
    const { policy } = claimPolicy;
    told.decided?.(policy, change, shortages.length === 0 ? "shadow_granted" : "shadow_denied");
    if (shortages.length === 0) return;
    // The beginning has to say it all: clients cut long warnings.
    change.warn(`policy "${policy.metadata.name}" is in Shadow mode; Enforce would reject this: ${textOf(shortages)}`);
    told.shadowed?.(policy, change, textOf(shortages));
    if (!change.dryRun) this.#recordShadow(claimPolicy, change, textOf(shortages));
  }

  #recordShadow({ plane, policy }: ClaimPolicy, { kind, namespace, name }: ObjectChange, text: string): void {
    const { name: called = "", uid = "" } = policy.metadata;
    const subject = { apiVersion: quotaApiVersion, kind: "ClaimCreationPolicy", namespace: "", name: called, uid };
    const message = `${kind.kind} ${namespace === "" ? name : `${namespace}/${name}`} would have been rejected: ${text}`;
    this.#options.events?.record(plane, subject, { type: "Warning", reason: "WouldBeRefused", message });
  }

  #placed(claims: readonly PolicyClaim[], change: ObjectChange): readonly PlacedClaim[] {
    const { planes } = this.#options;
    return claims.map(({ claim }) => ({ claim, plane: planes.planeOf(claim.consumer) ?? change.plane }));
  }

  #tell(
    claims: readonly PolicyClaim[],
    change: ObjectChange,
    result: (claim: PolicyClaim, at: number) => AdmissionResult,
  ): void {
    const { told } = this.#options;
    for (const [at, claim] of claims.entries()) told.decided?.(claim.policy.policy, change, result(claim, at));
  }

  /** Gives back what an object was granted that is not stored after all. */
  #return(round: ClaimRound): Promise<void> {
    const work = round.withdraw().finally(() => {
      this.#returning.delete(work);
      this.#returned += 1;
    });
    this.#returning.add(work);
    this.#keep(work);
    return work;
  }

  #keep(work: Promise<void>): void {
    this.#underWay.add(work);
    void work.finally(() => this.#underWay.delete(work));
  }
}

function refusal({ status }: Refused): Verdict {
  return { allowed: false, status };
}

function isShort(error: unknown): boolean {
  return error instanceof Refused && error.kind === "insufficient";
}

function textOf(shortages: readonly Shortage[]): string {
  return shortages.map(({ message }) => message).join("; ");
}
