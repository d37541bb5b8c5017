import type { ClaimPart } from "../../core/ledger/claim-knowledge.ts";
import { shortageText } from "../../core/ledger/decision-status.ts";
import type { ShortPart } from "../../core/ledger/settle.ts";
import { tryShown } from "../../core/ledger/shown-trial.ts";
import type { RenderedClaim } from "../../core/policy/claim-policy.ts";
import { consumerKey, consumerText } from "../../core/resources/fields/consumer-ref.ts";
import { dimensionKey } from "../../core/resources/fields/dimensions.ts";
import { parseResourceClaim, resourceClaimDefinition } from "../../core/resources/resource-claim.ts";
import type { RegistrationView } from "../../core/resources/rules/registration-rules.ts";
import type { ControlPlanes } from "../../views/control-planes.ts";
import { uidOf } from "../claims/claimant.ts";
import { nextStep } from "../claims/existing-claim.ts";
import type { ObjectChange } from "../object-change.ts";
import type { ClaimInPlane } from "../policies/needs.ts";
import { type Shortage, shortageOf } from "./rejection.ts";
import { shownFigures } from "./shown-figures.ts";
import { unitOf } from "./unit-of.ts";
import type { QuotaOwner, UsageView } from "./usage-view.ts";

export interface ForecastOptions {
  readonly planes: ControlPlanes;
  readonly registrations: RegistrationView;
  readonly usage: UsageView;
}

export interface ForecastClaim extends ClaimInPlane {
  /** Whether the claim is for what the object needs more than before. */
  readonly isGrowth: boolean;
}

/** Predicts whether claims would be granted, without writing or reserving anything. */
export class Forecast {
  readonly #options: ForecastOptions;

  constructor(options: ForecastOptions) {
    this.#options = options;
  }

  /**
   * The shortages of each claim. Each claim is decided as a whole, after those before it. A claim that exists already and is
   * granted needs nothing more.
   */
  async shortages(
    claims: readonly ForecastClaim[],
    change: ObjectChange,
    signal: AbortSignal,
  ): Promise<readonly (readonly Shortage[])[]> {
    const held = await Promise.all(claims.map((claim) => this.#isHeld(claim, change, signal)));
    const owners = new Map(
      claims.map(({ plane, claim: { consumer } }) => [ownerId(plane, consumer), { plane, consumer }]),
    );
    const short = await Promise.all(
      [...owners].map(([id, owner]) => {
        const isAsked = ({ plane, claim }: ClaimInPlane, at: number): boolean =>
          held[at] === false && ownerId(plane, claim.consumer) === id;
        const asked = claims.map((each, at) => (isAsked(each, at) ? partsOf(each.claim) : []));
        return this.#shortOf(owner, asked, signal);
      }),
    );
    return claims.map(({ isGrowth }, at) =>
      short.flatMap((each) => (each[at] ?? []).flatMap((part) => this.#shortage(part, isGrowth) ?? [])),
    );
  }

  async #isHeld({ plane, claim }: ClaimInPlane, { object }: ObjectChange, signal: AbortSignal): Promise<boolean> {
    const claims = this.#options.planes.client(plane).resource(resourceClaimDefinition, parseResourceClaim);
    const found = await claims.find(claim, signal);
    if (found?.decision.state !== "granted") return false;
    return ["wait", "checkBound", "join"].includes(nextStep(found, claim, uidOf(object)).step);
  }

  async #shortOf(
    owner: QuotaOwner,
    claims: readonly (readonly ClaimPart[])[],
    signal: AbortSignal,
  ): Promise<readonly (readonly OwnedShortPart[])[]> {
    const { planes, usage } = this.#options;
    const known = usage.shortOf(owner, claims);
    const short = known ?? tryShown(claims, await shownFigures(planes, owner, claims.flat(), signal));
    return short.map((parts) => parts.map((part) => ({ owner, part })));
  }

  #shortage({ owner, part: short }: OwnedShortPart, isGrowth: boolean): Shortage | undefined {
    const { registrations } = this.#options;
    const { resourceType } = short.part;
    const text = shortageText(short, unitOf(registrations, resourceType));
    const consumer = consumerText(owner.consumer);
    return shortageOf({ resourceType, text, limit: short.figures.limit, consumer }, { registrations, isGrowth });
  }
}

interface OwnedShortPart {
  readonly owner: QuotaOwner;
  readonly part: ShortPart;
}

function ownerId(plane: string, consumer: RenderedClaim["consumer"]): string {
  return `${plane}\n${consumerKey(consumer)}`;
}

function partsOf({ requests }: RenderedClaim): readonly ClaimPart[] {
  return requests.map(({ resourceType, dimensions, amount }) => ({
    resourceType,
    dimensionKey: dimensionKey(dimensions),
    amount,
  }));
}
