import { ChildAbort } from "@milo-quota/kubernetes/client/child-abort.ts";
import { untilAborted } from "@milo-quota/kubernetes/client/until-aborted.ts";
import type { RenderedClaim } from "../../core/policy/claim-policy.ts";
import type { ResourceClaim } from "../../core/resources/resource-claim.ts";
import type { AdmittingClaim } from "../admission-listener.ts";
import { type Heard, isIgnored, judge } from "../answers/judgement.ts";
import { Refused } from "../answers/refusals.ts";
import type { ObjectChange } from "../object-change.ts";
import type { PolicyClaim } from "../policies/policy-claim.ts";
import type { Provision } from "../provision.ts";
import type { QuotaAdmissionOptions } from "../quota-admission-options.ts";
import { ClaimAttempt } from "./claim-attempt.ts";
import type { ClaimStream } from "./claim-stream.ts";
import { type Claimant, claimantOf } from "./claimant.ts";
import type { WaiterResult } from "./stream-listener.ts";
import type { Waiter, WaitResult } from "./waiter.ts";
import { type Listed, withdraw } from "./withdrawal.ts";

type RoundOptions = Pick<QuotaAdmissionOptions, "planes" | "streams" | "clock" | "waitMsMax" | "advice" | "report"> & {
  readonly provision: Provision;
};

/** Why a change is let in. */
export interface LetIn {
  /** Claims that nobody decided, and whose policies let objects in all the same. */
  readonly ignored: readonly Heard[];
  readonly claims: readonly AdmittingClaim[];
}

/** A claim that we have asked for, and may be listed in. */
interface Tried extends Listed {
  readonly plane: string;
  /** Settles when it is known. */
  readonly asked: Promise<ResourceClaim>;
}

class OutOfTime extends Error {
  override readonly name = "OutOfTime";
}

/** All claims of one change: all are granted, or the change is refused and none is kept. */
export class ClaimRound {
  readonly #options: RoundOptions;
  readonly #change: ObjectChange;
  readonly #claims: readonly PolicyClaim[];
  readonly #claimant: Claimant;
  readonly #provision: Provision;
  readonly #tried: Tried[] = [];
  #heard: readonly Heard[] = [];
  /** Of the claims that list our object, by namespace and name. */
  readonly #uids = new Map<string, string>();

  constructor(options: RoundOptions, change: ObjectChange, claims: readonly PolicyClaim[]) {
    this.#options = options;
    this.#change = change;
    this.#claims = claims;
    this.#claimant = claimantOf(change, options.planes);
    this.#provision = options.provision;
  }

  /** What became of each claim, once that is known. */
  get heard(): readonly Heard[] {
    return this.#heard;
  }

  /** Resolves when every claim is granted and lists the object, or need not be; throws Refused. */
  async run(signal: AbortSignal): Promise<LetIn> {
    const { clock, waitMsMax, advice } = this.#options;
    const life = new ChildAbort(signal);
    const waitMs = Math.min(waitMsMax, this.#change.waitMsMax ?? waitMsMax);
    const deadline = clock.after(waitMs, () => life.abort(new OutOfTime("no decision in time")));
    try {
      const all = await Promise.all(this.#claims.map((claim) => this.#one(claim, life.signal)));
      this.#heard = all;
      const refused = judge(all, advice);
      if (refused !== undefined) throw refused;
      return { ignored: all.filter(isIgnored), claims: this.#granted(all) };
    } finally {
      deadline.stop();
      life.release();
    }
  }

  /** Takes the object off every claim that lists it, or may. */
  async withdraw(): Promise<void> {
    const { clock, waitMsMax, report } = this.#options;
    const life = new AbortController();
    const deadline = clock.after(waitMsMax, () => life.abort(new OutOfTime("not withdrawn in time")));
    await Promise.all(
      this.#tried.map((tried) =>
        this.#withdraw(tried, life.signal).catch((error: unknown) => report(`withdrawing ${tried.name}`, error)),
      ),
    );
    deadline.stop();
  }

  /**
   * Not before our own attempt is over: it could list us after we looked. An object that is there may be listed because of
   * others as well: then nothing is taken from a claim that is not known to list it because of us.
   */
  async #withdraw(attempted: Tried, signal: AbortSignal): Promise<void> {
    const claim = await untilAborted(attempted.asked, signal).catch(() => undefined);
    if (this.#claimant.isStored && claim === undefined) return;
    const { uid = "" } = claim?.metadata ?? {};
    const tried = this.#claimant.isStored ? { ...attempted, claim: uid } : attempted;
    await this.#options.streams.use(tried.plane, (stream) =>
      untilAborted(
        stream.turns.take(turnOf(tried), () => withdraw(tried, signal)),
        signal,
      ),
    );
  }

  /** What became of one claim. A failure is no answer to others: all are heard before anything is decided. */
  async #one({ policy, claim }: PolicyClaim, signal: AbortSignal): Promise<Heard> {
    try {
      return { policy, heard: await this.#wait(claim, signal) };
    } catch (error) {
      return { policy, heard: error instanceof OutOfTime ? { result: "timeout" } : { result: "failed", error } };
    }
  }

  #granted(all: readonly Heard[]): readonly AdmittingClaim[] {
    return this.#claims.flatMap(({ policy, claim: { namespace, name } }, at) => {
      const uid = this.#uids.get(turnOf({ namespace, name }));
      if (all[at]?.heard.result !== "granted" || uid === undefined) return [];
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
        const answer = await this.#answer({ stream, waiter, plane }, wanted, signal);
        result = completions[answer.result];
        return answer;
      } catch (error) {
        if (error instanceof OutOfTime) result = "timeout";
        throw error;
      } finally {
        stream.leave(waiter, result);
      }
    });
  }

  async #untilOpen(stream: ClaimStream, signal: AbortSignal): Promise<void> {
    if (stream.isOpen) return;
    try {
      await untilAborted(stream.open, signal);
    } catch (error) {
      if (!(error instanceof OutOfTime)) throw error;
      throw Refused.timeout(`claims cannot be watched: ${stream.trouble}`);
    }
  }

  async #answer({ stream, waiter, plane }: Joined, wanted: RenderedClaim, signal: AbortSignal): Promise<WaitResult> {
    const { namespace, name } = wanted;
    const client = this.#options.planes.client(plane);
    const attempt = new ClaimAttempt(client, wanted, this.#claimant);
    const asked = stream.turns.take(turnOf(wanted), () =>
      this.#provision.placed({ claim: wanted, plane }, signal, () => attempt.acquire(signal)),
    );
    this.#tried.push({ client, plane, namespace, name, candidate: this.#claimant.uid, asked });
    const claim = await untilAborted(asked, signal);
    this.#uids.set(turnOf(wanted), claim.metadata.uid ?? "");
    stream.follow(waiter, claim);
    return untilAborted(waiter.done, signal);
  }
}

interface Joined {
  readonly stream: ClaimStream;
  readonly waiter: Waiter;
  readonly plane: string;
}

const completions: Readonly<Record<WaitResult["result"], WaiterResult>> = {
  granted: "granted",
  denied: "denied",
  invalid: "denied",
  lost: "deleted",
  timeout: "timeout",
};

function turnOf({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `${namespace}/${name}`;
}
