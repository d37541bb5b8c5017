import { sleep } from "@milo-quota/kubernetes/client/sleep.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { RenderedClaim } from "../core/policy/claim-policy.ts";
import { consumerText } from "../core/resources/fields/consumer-ref.ts";
import { Rejection } from "./answers/rejection.ts";
import { unknownUsage } from "./answers/usage-view.ts";
import { type NewConsumers, noNewConsumers } from "./new-consumers.ts";
import type { ClaimInPlane } from "./policies/needs.ts";
import type { QuotaAdmissionOptions } from "./quota-admission-options.ts";

type ReadinessOptions = Pick<QuotaAdmissionOptions, "planes" | "clock" | "usage" | "newConsumers">;

/** Grant policies grant within milliseconds. A consumer without a grant after this time probably gets none. */
const grantWaitMsMax = 3_000;
/** Shorter than the time limit of a decision, so that there is time left to decide. */
const namespaceWaitMsMax = 5_000;
const pollMsMin = 10;
const pollMsMax = 200;

/** Waits for what controllers create for a new consumer: the namespace of its quota, and its first grants. */
export class ConsumerReadiness {
  readonly #options: ReadinessOptions;
  readonly #newConsumers: NewConsumers;

  constructor(options: ReadinessOptions) {
    this.#options = options;
    this.#newConsumers = options.newConsumers ?? noNewConsumers;
  }

  /**
   * Resolves when every claimed resource type has a grant, or when no grant is to be expected any more. Undefined when there
   * is nothing to wait for, as for nearly all objects.
   */
  untilGranted(claimInPlane: ClaimInPlane, signal: AbortSignal): Promise<void> | undefined {
    const { claim, plane } = claimInPlane;
    if (this.#isGranted(claim, plane) || !this.#newConsumers.hasGrantPolicyFor(claim.consumer)) return undefined;
    return this.#pollGrants(claimInPlane, signal);
  }

  async #pollGrants({ claim, plane }: ClaimInPlane, signal: AbortSignal): Promise<void> {
    const { consumer } = claim;
    const ageMs = await this.#newConsumers.ageMs(consumer, plane, signal);
    if (ageMs === undefined || ageMs >= grantWaitMsMax) return;
    await this.#poll(grantWaitMsMax - ageMs, signal, async () => this.#isGranted(claim, plane) || undefined);
  }

  /** Runs an action that needs the consumer's namespace, and retries it while controllers create the namespace. */
  async withNamespace<Result>(
    claimInPlane: ClaimInPlane,
    signal: AbortSignal,
    act: () => Promise<Result>,
  ): Promise<Result> {
    const { namespace, consumer } = claimInPlane.claim;
    try {
      return await act();
    } catch (error) {
      if (!isNamespaceMissing(error, namespace) || !(await this.#isExpected(claimInPlane, signal))) throw error;
    }
    const later = await this.#poll(namespaceWaitMsMax, signal, () => unlessMissing(namespace, act));
    if (later !== undefined) return later.result;
    throw Rejection.undecided(`namespace "${namespace}" of ${consumerText(consumer)} does not exist yet`);
  }

  #isGranted({ consumer, requests }: RenderedClaim, plane: string): boolean {
    const { usage = unknownUsage } = this.#options;
    return requests.every(({ resourceType }) => {
      const figures = usage.figuresOf({ plane, consumer, resourceType }, "");
      return figures !== undefined && figures.limit > 0n;
    });
  }

  /** Whether controllers create this namespace: it is the bucket namespace of a consumer that exists. */
  async #isExpected({ claim, plane }: ClaimInPlane, signal: AbortSignal): Promise<boolean> {
    const { namespace, consumer } = claim;
    if (namespace !== this.#options.planes.bucketNamespace(consumer)) return false;
    return (await this.#newConsumers.ageMs(consumer, plane, signal)) !== undefined;
  }

  /** Polls with growing intervals. Undefined when the time is up. */
  async #poll<Found>(
    withinMs: number,
    signal: AbortSignal,
    find: () => Promise<Found | undefined>,
  ): Promise<Found | undefined> {
    const { clock } = this.#options;
    const endMs = clock.now() + withinMs;
    for (let waitMs = pollMsMin; clock.now() < endMs; waitMs = Math.min(waitMs * 2, pollMsMax)) {
      await sleep(clock, waitMs, signal);
      const found = await find();
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

/** Undefined when the namespace does not exist. */
async function unlessMissing<Result>(
  namespace: string,
  act: () => Promise<Result>,
): Promise<{ readonly result: Result } | undefined> {
  try {
    return { result: await act() };
  } catch (error) {
    if (!isNamespaceMissing(error, namespace)) throw error;
    return undefined;
  }
}

/** Also true when an earlier namespace of the same name is still terminating. */
function isNamespaceMissing(error: unknown, namespace: string): boolean {
  if (!(error instanceof StatusError)) return false;
  const { code, details } = error.status;
  if (code === 404) return details?.kind === "namespaces" && details.name === namespace;
  return code === 403 && (details?.causes ?? []).some(({ reason }) => reason === "NamespaceTerminating");
}
