import { pause } from "@milo-quota/kubernetes/client/pause.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { RenderedClaim } from "../core/policy/claim-policy.ts";
import { consumerText } from "../core/resources/fields/consumer-ref.ts";
import { Refused } from "./answers/refusals.ts";
import { unknownUsage } from "./answers/usage-view.ts";
import { type Newcomers, noNewcomers } from "./newcomers.ts";
import type { PlacedClaim } from "./policies/needs.ts";
import type { QuotaAdmissionOptions } from "./quota-admission-options.ts";

type ProvisionOptions = Pick<QuotaAdmissionOptions, "planes" | "clock" | "usage" | "newcomers">;

/** Grants for a consumer come within milliseconds of it; after this time nobody waits for one that may never come. */
const grantedWithinMs = 3_000;
/** Less than a decision may take, so that there is time left for it. */
const placedWithinMs = 5_000;
const lookMsMin = 10;
const lookMsMax = 200;

/** Waits for what others make for a consumer that has just come: a namespace for its quota, and its first grants. */
export class Provision {
  readonly #options: ProvisionOptions;
  readonly #newcomers: Newcomers;

  constructor(options: ProvisionOptions) {
    this.#options = options;
    this.#newcomers = options.newcomers ?? noNewcomers;
  }

  /**
   * Resolves when all that is claimed is granted at least in part, or none of it is on its way. Undefined when nobody has to
   * wait, as with nearly all objects.
   */
  granted(placed: PlacedClaim, signal: AbortSignal): Promise<void> | undefined {
    const { claim, plane } = placed;
    if (this.#isGranted(claim, plane) || !this.#newcomers.areGranted(claim.consumer)) return undefined;
    return this.#untilGranted(placed, signal);
  }

  async #untilGranted({ claim, plane }: PlacedClaim, signal: AbortSignal): Promise<void> {
    const { consumer } = claim;
    const ageMs = await this.#newcomers.ageMs(consumer, plane, signal);
    if (ageMs === undefined || ageMs >= grantedWithinMs) return;
    await this.#look(grantedWithinMs - ageMs, signal, async () => this.#isGranted(claim, plane) || undefined);
  }

  /** Does something that needs the namespace of the consumer, again while that is being made. */
  async placed<Result>(placed: PlacedClaim, signal: AbortSignal, act: () => Promise<Result>): Promise<Result> {
    const { namespace, consumer } = placed.claim;
    try {
      return await act();
    } catch (error) {
      if (!isWithoutNamespace(error, namespace) || !(await this.#isComing(placed, signal))) throw error;
    }
    const later = await this.#look(placedWithinMs, signal, () => unlessMissing(namespace, act));
    if (later !== undefined) return later.result;
    throw Refused.busy(`namespace "${namespace}" of ${consumerText(consumer)} is not there yet`);
  }

  #isGranted({ consumer, requests }: RenderedClaim, plane: string): boolean {
    const { usage = unknownUsage } = this.#options;
    return requests.every(({ resourceType }) => {
      const figures = usage.figuresOf({ plane, consumer, resourceType }, "");
      return figures !== undefined && figures.limit > 0n;
    });
  }

  /** Whether this is the namespace that a consumer gets which is there. */
  async #isComing({ claim, plane }: PlacedClaim, signal: AbortSignal): Promise<boolean> {
    const { namespace, consumer } = claim;
    if (namespace !== this.#options.planes.bucketNamespace(consumer)) return false;
    return (await this.#newcomers.ageMs(consumer, plane, signal)) !== undefined;
  }

  /** Looks less and less often; undefined when the time is over. */
  async #look<Found>(
    withinMs: number,
    signal: AbortSignal,
    look: () => Promise<Found | undefined>,
  ): Promise<Found | undefined> {
    const { clock } = this.#options;
    const endMs = clock.now() + withinMs;
    for (let waitMs = lookMsMin; clock.now() < endMs; waitMs = Math.min(waitMs * 2, lookMsMax)) {
      await pause(clock, waitMs, signal);
      const found = await look();
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

/** Undefined when the namespace is not there. */
async function unlessMissing<Result>(
  namespace: string,
  act: () => Promise<Result>,
): Promise<{ readonly result: Result } | undefined> {
  try {
    return { result: await act() };
  } catch (error) {
    if (!isWithoutNamespace(error, namespace)) throw error;
    return undefined;
  }
}

/** The namespace is not there, or is one of before that is going. */
function isWithoutNamespace(error: unknown, namespace: string): boolean {
  if (!(error instanceof StatusError)) return false;
  const { code, details } = error.status;
  if (code === 404) return details?.kind === "namespaces" && details.name === namespace;
  return code === 403 && (details?.causes ?? []).some(({ reason }) => reason === "NamespaceTerminating");
}
