import { shortageText } from "../core/ledger/answer.ts";
import type { Figures } from "../core/ledger/page-book.ts";
import {
  type AllowanceBucket,
  allowanceBucketDefinition,
  parseAllowanceBucket,
} from "../core/resources/allowance-bucket.ts";
import { amountOf, noAmount } from "../core/resources/amount.ts";
import { consumerText } from "../core/resources/consumer-ref.ts";
import { bucketName } from "../core/resources/object-names.ts";
import type { RegistrationView } from "../core/resources/registration-rules.ts";
import { parseResourceClaim, resourceClaimDefinition } from "../core/resources/resource-claim.ts";
import { uidOf } from "./claimant.ts";
import { nextStep } from "./existing-claim.ts";
import { type Need, needsOf, type PlacedClaim } from "./needs.ts";
import type { ObjectChange } from "./object-change.ts";
import type { AdmissionPlanes } from "./quota-admission.ts";
import { type Shortage, shortageOf } from "./refusals.ts";
import { unitOf } from "./unit-of.ts";
import type { UsageView } from "./usage-view.ts";

export interface ForecastOptions {
  readonly planes: AdmissionPlanes;
  readonly registrations: RegistrationView;
  readonly usage: UsageView;
}

/** What would become of claims if they were made. Nothing is written, and nothing is promised. */
export class Forecast {
  readonly #options: ForecastOptions;

  constructor(options: ForecastOptions) {
    this.#options = options;
  }

  /** What of these claims would not fit; those that a claim is there for already hold what they need. */
  async shortages(
    claims: readonly PlacedClaim[],
    change: ObjectChange,
    signal: AbortSignal,
  ): Promise<readonly Shortage[]> {
    const held = await Promise.all(claims.map((claim) => this.#isHeld(claim, change, signal)));
    const needs = needsOf(claims.filter((_, at) => held[at] === false));
    const short = await Promise.all(needs.map((need) => this.#shortage(need, signal)));
    return short.flatMap((shortage) => shortage ?? []);
  }

  async #isHeld({ plane, claim }: PlacedClaim, { object }: ObjectChange, signal: AbortSignal): Promise<boolean> {
    const claims = this.#options.planes.client(plane).resource(resourceClaimDefinition, parseResourceClaim);
    const found = await claims.find(claim, signal);
    if (found?.answer.state !== "granted") return false;
    return ["wait", "look", "expect", "join"].includes(nextStep(found, claim, uidOf(object)).step);
  }

  async #shortage(need: Need, signal: AbortSignal): Promise<Shortage | undefined> {
    const { key, dimensionKey, amount } = need;
    const figures = this.#options.usage.figuresOf(key, dimensionKey) ?? (await this.#shown(need, signal));
    if (figures.available >= amount) return undefined;
    const { resourceType, consumer } = key;
    const unit = unitOf(this.#options.registrations, resourceType);
    const text = shortageText({ part: { resourceType, dimensionKey, amount }, figures }, unit);
    return shortageOf(resourceType, consumerText(consumer), text);
  }

  /** As buckets show it. Where a set of dimensions has no bucket of its own yet, the one without dimensions tells. */
  async #shown({ key, dimensions, dimensionKey }: Need, signal: AbortSignal): Promise<Figures> {
    const { planes } = this.#options;
    const { plane, consumer, resourceType } = key;
    const buckets = planes.client(plane).resource(allowanceBucketDefinition, parseAllowanceBucket);
    const namespace = planes.bucketNamespace(consumer);
    const find = (name: string): Promise<AllowanceBucket | undefined> => buckets.find({ namespace, name }, signal);
    const own = dimensionKey === "" ? undefined : await find(bucketName(consumer, resourceType, dimensions));
    return figuresIn(own ?? (await find(bucketName(consumer, resourceType))));
  }
}

function figuresIn(bucket: AllowanceBucket | undefined): Figures {
  const { limit = 0, allocated = 0, reserved = 0, available = 0 } = bucket?.status ?? {};
  return {
    limit: amountOf(limit),
    allocated: amountOf(allocated),
    reserved: amountOf(reserved),
    available: amountOf(available),
    overage: noAmount,
  };
}
