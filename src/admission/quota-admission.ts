import type { ClaimInput, RenderedClaim } from "../core/policy/claim-policy.ts";
import type { ConsumerRef, GroupKind } from "../core/resources/consumer-ref.ts";
import { quotaGroup } from "../core/resources/well-known.ts";
import type { KubeClient } from "../kube/client/kube-client.ts";
import { timeText } from "../kube/timestamp.ts";
import type { Clock } from "../protocol/clock.ts";
import type { AdmissionListener } from "./admission-listener.ts";
import { ClaimRound, type PolicyClaim } from "./claim-round.ts";
import type { ClaimStreams } from "./claim-streams.ts";
import { shortagesNow } from "./fit-check.ts";
import { allowed, type ObjectChange, type Verdict } from "./object-change.ts";
import type { PolicySight } from "./policy-sight.ts";
import { Refused, type Shortage } from "./refusals.ts";
import { type ClaimPolicy, wishOf } from "./wanted-claims.ts";

/** Control planes, as far as claims need them. */
export interface AdmissionPlanes {
  readonly root: string;
  client(plane: string): KubeClient;
  planeOf(owner: GroupKind & { readonly name: string }): string | undefined;
  ownerOf(plane: string): ConsumerRef | undefined;
  bucketNamespace(consumer: ConsumerRef): string;
}

export type Enforcement = "Enforce" | "Shadow" | "Off";

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
  readonly told: AdmissionListener;
  readonly report: (where: string, error: unknown) => void;
}

/** Lets objects in that quota is there for. What cannot be decided is not let in. */
export class QuotaAdmission {
  readonly #options: QuotaAdmissionOptions;
  readonly #underWay = new Set<Promise<void>>();

  constructor(options: QuotaAdmissionOptions) {
    this.#options = options;
  }

  async decide(change: ObjectChange, signal: AbortSignal): Promise<Verdict> {
    const { sight, enforcement } = this.#options;
    const { type, kind, plane } = change;
    const level = enforcement();
    if (type.group === quotaGroup || level === "Off") return allowed;
    if (!sight.isReady) return refusal(Refused.busy("policies are still being read"));
    const policies = sight.policiesFor({ apiGroup: type.group, kind }, plane);
    if (policies.length === 0) return allowed;
    try {
      return await this.#decide(change, policies, level, signal);
    } catch (error) {
      if (error instanceof Refused) return refusal(error);
      this.#options.report("admission", error);
      return refusal(Refused.busy(error instanceof Error ? error.message : String(error)));
    }
  }

  /** Finishes taking back what was claimed in vain. */
  async stop(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  async #decide(
    change: ObjectChange,
    policies: readonly ClaimPolicy[],
    level: Exclude<Enforcement, "Off">,
    signal: AbortSignal,
  ): Promise<Verdict> {
    const claims = policies.flatMap((policy) => this.#wanted(policy, change));
    const isShadow = ({ policy }: PolicyClaim): boolean => level === "Shadow" || policy.policy.mode === "Shadow";
    const shadows = claims.filter(isShadow);
    const enforced = claims.filter((claim) => !isShadow(claim));
    await this.#watchOnly(shadows, change, signal);
    if (enforced.length === 0) return allowed;
    if (change.dryRun) return this.#tryOnly(enforced, change, signal);
    return this.#claim(enforced, change, signal);
  }

  /** What a policy asks for this change; nothing if it may be let in without being understood. */
  #wanted(policy: ClaimPolicy, change: ObjectChange): readonly PolicyClaim[] {
    const { told } = this.#options;
    const wish = wishOf(policy, change, this.#input(change));
    switch (wish.outcome) {
      case "nothing":
        if (wish.missingKeys > 0) told.missingKey?.(policy);
        return [];
      case "claim":
        return [{ policy, claim: wish.claim }];
      case "failed":
        told.failed?.(policy, change);
        if (policy.policy.mode === "Enforce" && policy.policy.failurePolicy === "Fail") {
          throw Refused.misconfigured(wish.message);
        }
        change.warn(`quota is not checked: ${wish.message}`);
        return [];
      default:
        throw new Error(`unknown wish ${wish satisfies never}`);
    }
  }

  async #claim(claims: readonly PolicyClaim[], change: ObjectChange, signal: AbortSignal): Promise<Verdict> {
    const { told } = this.#options;
    const round = new ClaimRound(this.#options, change, claims);
    try {
      await round.run(signal);
    } catch (error) {
      this.#keep(round.withdraw());
      for (const { policy } of claims) told.refused?.(policy, change, error);
      throw error;
    }
    for (const { policy } of claims) told.granted?.(policy, change);
    return { allowed: true, settled: (stored) => stored || this.#keep(round.withdraw()) };
  }

  /** A dry run is told what would become of it, and nothing is written. */
  async #tryOnly(claims: readonly PolicyClaim[], change: ObjectChange, signal: AbortSignal): Promise<Verdict> {
    const shortages = await this.#shortages(claims, change, signal);
    return shortages.length === 0 ? allowed : refusal(Refused.insufficient(shortages, this.#options.advice));
  }

  /** Policies that only watch tell what they would have refused, and refuse nothing. */
  async #watchOnly(claims: readonly PolicyClaim[], change: ObjectChange, signal: AbortSignal): Promise<void> {
    for (const claim of claims) {
      try {
        const shortages = await this.#shortages([claim], change, signal);
        if (shortages.length === 0) continue;
        const { message } = Refused.insufficient(shortages, "");
        change.warn(`${message} It is let in, because ${claim.policy.policy.metadata.name} only watches.`);
        this.#options.told.shadowed?.(claim.policy, change);
      } catch (error) {
        this.#options.report("admission, only watching", error);
      }
    }
  }

  async #shortages(
    claims: readonly PolicyClaim[],
    change: ObjectChange,
    signal: AbortSignal,
  ): Promise<readonly Shortage[]> {
    const { planes, sight } = this.#options;
    const found = claims.map(({ claim }: { readonly claim: RenderedClaim }) => {
      const client = planes.client(planes.planeOf(claim.consumer) ?? change.plane);
      const namespace = planes.bucketNamespace(claim.consumer);
      return shortagesNow(claim, { client, namespace, registrations: sight }, signal);
    });
    return (await Promise.all(found)).flat();
  }

  #input(change: ObjectChange): Omit<ClaimInput, "trigger"> {
    const { planes, clock } = this.#options;
    const { operation, type, plane, user, subresource, namespace, name } = change;
    return {
      user,
      requestInfo: {
        verb: operation.toLowerCase(),
        apiGroup: type.group,
        apiVersion: type.version,
        resource: type.plural,
        subresource,
        namespace,
        name,
      },
      plane: plane === planes.root ? "" : plane,
      planeConsumer: planes.ownerOf(plane),
      bucketNamespace: (consumer) => planes.bucketNamespace(consumer),
      now: timeText(clock.now()),
    };
  }

  #keep(work: Promise<void>): void {
    this.#underWay.add(work);
    void work.finally(() => this.#underWay.delete(work));
  }
}

function refusal({ status }: Refused): Verdict {
  return { allowed: false, status };
}
