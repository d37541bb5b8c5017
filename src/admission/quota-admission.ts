import type { ConsumerRef, GroupKind } from "../core/resources/consumer-ref.ts";
import type { Enforcement } from "../core/resources/enforcement.ts";
import { quotaApiVersion } from "../core/resources/well-known.ts";
import type { KubeClient } from "../kube/client/kube-client.ts";
import type { EventRecorder } from "../kube/events/event-recorder.ts";
import { untilAborted } from "../kube/until-aborted.ts";
import type { Clock } from "../protocol/clock.ts";
import type { AdmissionListener, AdmissionResult } from "./admission-listener.ts";
import { claimInput } from "./claim-input.ts";
import { ClaimRound, type PolicyClaim } from "./claim-round.ts";
import type { ClaimStreams } from "./claim-streams.ts";
import type { Decider } from "./decider.ts";
import { Forecast } from "./forecast.ts";
import type { PlacedClaim } from "./needs.ts";
import type { Newcomers } from "./newcomers.ts";
import { allowed, type ObjectChange, type Verdict } from "./object-change.ts";
import type { PolicySight } from "./policy-sight.ts";
import { wishesOf } from "./policy-wishes.ts";
import { Refused, type Shortage } from "./refusals.ts";
import { type UsageView, unknownUsage } from "./usage-view.ts";
import { usageWarnings } from "./usage-warnings.ts";
import type { ClaimPolicy } from "./wanted-claims.ts";

/** Control planes, as far as claims need them. */
export interface AdmissionPlanes {
  readonly root: string;
  client(plane: string): KubeClient;
  planeOf(owner: GroupKind & { readonly name: string }): string | undefined;
  ownerOf(plane: string): ConsumerRef | undefined;
  bucketNamespace(consumer: ConsumerRef): string;
}

export interface QuotaAdmissionOptions {
  readonly planes: AdmissionPlanes;
  readonly sight: PolicySight;
  readonly streams: ClaimStreams;
  readonly clock: Clock;
  /** For everything at once: a way out on a bad night. */
  readonly enforcement: () => Enforcement;
  /** How long a decision may take; less than whoever asks waits. */
  readonly waitMsMax: number;
  /** What people are told to do when quota is not enough. */
  readonly advice: string;
  /**
   * Whether a claim names its object as owner before that is stored. Only where the garbage collector knows which objects
   * are on their way: another one would delete the claim.
   */
  readonly ownedFromBirth: boolean;
  /** Where this process knows how much is used. */
  readonly usage?: UsageView;
  /** Where this process keeps consumers, and knows of those that have just come. */
  readonly newcomers?: Newcomers;
  /** Where people see what policies that only watch would have refused. */
  readonly events?: Pick<EventRecorder, "record">;
  readonly decider: Decider;
  readonly told: AdmissionListener;
  readonly report: (where: string, error: unknown) => void;
}

/** Lets objects in that quota is there for. What cannot be decided is not let in. */
export class QuotaAdmission {
  readonly #options: QuotaAdmissionOptions;
  readonly #forecast: Forecast;
  readonly #underWay = new Set<Promise<void>>();
  /** Of these, what takes back claims that were granted. */
  readonly #returning = new Set<Promise<void>>();

  constructor(options: QuotaAdmissionOptions) {
    this.#options = options;
    const { planes, sight, usage = unknownUsage } = options;
    this.#forecast = new Forecast({ planes, registrations: sight, usage });
  }

  async decide(change: ObjectChange, signal: AbortSignal): Promise<Verdict> {
    const { sight, enforcement, report } = this.#options;
    const level = enforcement();
    if (level === "Off") return allowed;
    if (!sight.isReady) return level === "Shadow" ? allowed : refusal(Refused.busy("policies are still being read"));
    const policies = this.#policiesFor(change);
    if (policies.length === 0) return allowed;
    try {
      return await this.#decide(change, policies, level, signal);
    } catch (error) {
      if (error instanceof Refused) return refusal(error);
      report("admission", error);
      return refusal(Refused.busy(error instanceof Error ? error.message : String(error)));
    }
  }

  /** Finishes taking back what was claimed in vain. */
  async stop(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  #policiesFor(change: ObjectChange): readonly ClaimPolicy[] {
    const { sight, told } = this.#options;
    const kind = { apiGroup: change.type.group, kind: change.kind };
    for (const policy of sight.disabledFor(kind, change.plane)) told.decided?.(policy, change, "policy_disabled");
    return sight.policiesFor(kind, change.plane);
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
    const { enforced, shadowed, failures } = wishes;
    await this.#watchOnly(shadowed, change, signal);
    if (failures.length > 0) throw Refused.misconfigured(failures.map(({ message }) => message).join("; "));
    if (enforced.length === 0) return allowed;
    return change.dryRun ? this.#tryOnly(enforced, change, signal) : this.#claim(enforced, change, signal);
  }

  async #claim(claims: readonly PolicyClaim[], change: ObjectChange, signal: AbortSignal): Promise<Verdict> {
    const { sight, usage = unknownUsage, told } = this.#options;
    let round = new ClaimRound(this.#options, change, claims);
    const returned = [...this.#returning];
    try {
      const { ignored, claims: granted } = await round.run(signal).catch(async (error: unknown) => {
        if (returned.length === 0 || !isShort(error)) throw error;
        // What somebody else had and was refused is free for whoever comes after that.
        await untilAborted(Promise.all([round.withdraw(), ...returned]), signal);
        round = new ClaimRound(this.#options, change, claims);
        return round.run(signal);
      });
      told.admitted?.(change, granted);
      this.#tell(claims, change, (policy) => (ignored.includes(policy) ? "ignored" : "granted"));
    } catch (error) {
      this.#keep(round.withdraw());
      this.#tell(claims, change, () => resultOf(error));
      throw error;
    }
    for (const warning of usageWarnings(this.#placed(claims, change), usage, sight)) change.warn(warning);
    return { allowed: true, settled: (stored) => stored || this.#return(round) };
  }

  /** A dry run is told what would become of it, and nothing is written. */
  async #tryOnly(claims: readonly PolicyClaim[], change: ObjectChange, signal: AbortSignal): Promise<Verdict> {
    const shortages = await this.#forecast.shortages(this.#placed(claims, change), change, signal);
    this.#tell(claims, change, () => (shortages.length === 0 ? "granted" : "denied"));
    return shortages.length === 0 ? allowed : refusal(Refused.insufficient(shortages, this.#options.advice));
  }

  /** Policies that only watch tell what they would have refused, and refuse nothing. */
  async #watchOnly(claims: readonly PolicyClaim[], change: ObjectChange, signal: AbortSignal): Promise<void> {
    const { told, report } = this.#options;
    for (const claim of claims) {
      try {
        const shortages = await this.#forecast.shortages(this.#placed([claim], change), change, signal);
        const { policy } = claim.policy;
        told.decided?.(policy, change, shortages.length === 0 ? "shadow_granted" : "shadow_denied");
        if (shortages.length === 0) continue;
        // The beginning has to say it all: clients cut long warnings.
        change.warn(`only watched, not refused by policy ${policy.metadata.name}: ${textOf(shortages)}`);
        told.shadowed?.(policy, change, textOf(shortages));
        if (!change.dryRun) this.#recordShadow(claim.policy, change, textOf(shortages));
      } catch (error) {
        report("admission, only watching", error);
      }
    }
  }

  #recordShadow({ plane, policy }: ClaimPolicy, { kind, namespace, name }: ObjectChange, text: string): void {
    const { name: called = "", uid = "" } = policy.metadata;
    const subject = { apiVersion: quotaApiVersion, kind: "ClaimCreationPolicy", namespace: "", name: called, uid };
    const message = `${kind} ${namespace === "" ? name : `${namespace}/${name}`} would have been refused: ${text}`;
    this.#options.events?.record(plane, subject, { type: "Warning", reason: "WouldBeRefused", message });
  }

  #placed(claims: readonly PolicyClaim[], change: ObjectChange): readonly PlacedClaim[] {
    const { planes } = this.#options;
    return claims.map(({ claim }) => ({ claim, plane: planes.planeOf(claim.consumer) ?? change.plane }));
  }

  #tell(claims: readonly PolicyClaim[], change: ObjectChange, result: (policy: ClaimPolicy) => AdmissionResult): void {
    for (const { policy } of claims) this.#options.told.decided?.(policy.policy, change, result(policy));
  }

  /** Gives back what an object was granted that is not stored after all. */
  #return(round: ClaimRound): void {
    const work = round.withdraw();
    this.#returning.add(work);
    this.#keep(work.finally(() => this.#returning.delete(work)));
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

function resultOf(error: unknown): AdmissionResult {
  if (!(error instanceof Refused)) return "undecided";
  const results = {
    insufficient: "denied",
    misconfigured: "misconfigured",
    taken: "exists",
    timeout: "undecided",
    busy: "undecided",
  } as const;
  return results[error.kind];
}
