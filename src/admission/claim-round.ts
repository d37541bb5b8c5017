import type { RenderedClaim } from "../core/policy/claim-policy.ts";
import { ChildAbort } from "../kube/child-abort.ts";
import { untilAborted } from "../kube/until-aborted.ts";
import { StatusError } from "../protocol/api-status.ts";
import { isJsonObject, type JsonObject, ownValue } from "../protocol/json-value.ts";
import { ClaimAttempt, type Claimant } from "./claim-attempt.ts";
import type { ObjectChange } from "./object-change.ts";
import type { QuotaAdmissionOptions } from "./quota-admission.ts";
import { Refused, type Shortage, shortagesOf } from "./refusals.ts";
import type { WaitResult } from "./waiter.ts";
import type { ClaimPolicy } from "./wanted-claims.ts";
import { type Listed, withdraw } from "./withdrawal.ts";

/** A claim, and the policy that wants it. */
export interface PolicyClaim {
  readonly policy: ClaimPolicy;
  readonly claim: RenderedClaim;
}

type RoundOptions = Pick<
  QuotaAdmissionOptions,
  "planes" | "streams" | "clock" | "waitMsMax" | "advice" | "told" | "report"
>;

class OutOfTime extends Error {
  override readonly name = "OutOfTime";
}

/** All claims of one change: all are granted, or the change is refused and none is kept. */
export class ClaimRound {
  readonly #options: RoundOptions;
  readonly #change: ObjectChange;
  readonly #claims: readonly PolicyClaim[];
  readonly #candidate: string;
  readonly #listed: Listed[] = [];

  constructor(options: RoundOptions, change: ObjectChange, claims: readonly PolicyClaim[]) {
    this.#options = options;
    this.#change = change;
    this.#claims = claims;
    this.#candidate = uidOf(change.object);
  }

  /** Resolves when every claim is granted and lists the object; throws Refused. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, waitMsMax } = this.#options;
    const life = new ChildAbort(signal);
    const deadline = clock.after(waitMsMax, () => life.abort(new OutOfTime("no decision in time")));
    try {
      const results = await Promise.all(this.#claims.map((claim) => this.#one(claim, life.signal)));
      this.#judge(results);
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
      this.#listed.map((listed) =>
        withdraw(listed, life.signal).catch((error: unknown) => report(`withdrawing ${listed.name}`, error)),
      ),
    );
    deadline.stop();
  }

  /** What became of one claim. A failure is no answer to others: all are heard before anything is decided. */
  async #one(wanted: PolicyClaim, signal: AbortSignal): Promise<Heard> {
    try {
      return { ...wanted, heard: await this.#wait(wanted.claim, signal) };
    } catch (error) {
      return { ...wanted, heard: error instanceof OutOfTime ? { result: "timeout" } : { result: "failed", error } };
    }
  }

  #wait(wanted: RenderedClaim, signal: AbortSignal): Promise<WaitResult> {
    const { planes, streams, told, clock } = this.#options;
    const plane = planes.planeOf(wanted.consumer) ?? this.#change.plane;
    const client = planes.client(plane);
    return streams.use(plane, async (stream) => {
      await untilAborted(stream.open, signal);
      const { namespace, name } = wanted;
      const waiter = stream.join(namespace, name, this.#candidate);
      const sinceMs = clock.now();
      told.waiting?.();
      this.#listed.push({ client, namespace, name, candidate: this.#candidate });
      let result: WaitResult["result"] = "lost";
      try {
        const claim = await untilAborted(new ClaimAttempt(client, wanted, this.#claimant).acquire(signal), signal);
        stream.follow(waiter, claim);
        const answer = await untilAborted(waiter.done, signal);
        result = answer.result;
        return answer;
      } catch (error) {
        if (error instanceof OutOfTime) result = "timeout";
        throw error;
      } finally {
        stream.leave(waiter);
        told.waited?.(result, clock.now() - sinceMs);
      }
    });
  }

  get #claimant(): Claimant {
    const { planes } = this.#options;
    const { plane, type, namespace, name } = this.#change;
    const objects = planes.client(plane).resource(type, (value) => ({ ok: true, value: value as JsonObject }));
    const ref = { name, ...(type.scope === "Cluster" ? {} : { namespace }) };
    return {
      uid: this.#candidate,
      exists: async (uid, signal) => {
        const found = await objects.find(ref, signal);
        return found !== undefined && uidOf(found) === uid;
      },
      taken: Refused.taken({ group: type.group, resource: type.plural }, name),
    };
  }

  #judge(all: readonly Heard[]): void {
    const decisive = all.filter(({ heard, policy }) => !isLetIn(heard, policy));
    const refusals = decisive.flatMap(({ heard, policy }) => {
      const refused = refusalOf(heard, policy);
      return refused === undefined ? [] : [refused];
    });
    const hard = refusals.find(({ kind }) => kind === "misconfigured" || kind === "taken");
    if (hard !== undefined) throw hard;
    const shortages: readonly Shortage[] = all.flatMap(({ heard }) =>
      heard.result === "denied" ? shortagesOf(heard.claim) : [],
    );
    if (all.some(({ heard }) => heard.result === "denied")) {
      throw Refused.insufficient(shortages, this.#options.advice);
    }
    const [first] = refusals;
    if (first !== undefined) throw first;
  }
}

type Heard = PolicyClaim & {
  readonly heard: WaitResult | { readonly result: "failed"; readonly error: unknown };
};

/** Whether a policy wants objects let in that nobody could decide on. */
function isLetIn({ result }: Heard["heard"], { policy }: ClaimPolicy): boolean {
  return policy.failurePolicy === "Ignore" && result !== "denied" && result !== "granted";
}

function refusalOf(heard: Heard["heard"], { policy }: ClaimPolicy): Refused | undefined {
  const name = `ClaimCreationPolicy ${JSON.stringify(policy.metadata.name ?? "")}`;
  switch (heard.result) {
    case "granted":
    case "denied":
      return undefined;
    case "timeout":
      return Refused.busy(`the claim of ${name} was not decided in time`);
    case "lost":
      return Refused.busy(`the claim of ${name} was taken away`);
    case "invalid":
      return Refused.misconfigured(`the claim of ${name} cannot be decided: ${messageOf(heard.claim)}`);
    case "failed":
      return failedRefusal(heard.error, name);
    default:
      throw new Error(`unknown result ${heard satisfies never}`);
  }
}

function failedRefusal(error: unknown, policy: string): Refused {
  if (error instanceof Refused) return error;
  const message = error instanceof Error ? error.message : String(error);
  const isOurFault = error instanceof StatusError && error.status.code < 500 && error.status.code !== 429;
  return isOurFault
    ? Refused.misconfigured(`the claim of ${policy} cannot be made: ${message}`)
    : Refused.busy(`the claim of ${policy} cannot be made: ${message}`);
}

function messageOf({
  status,
}: {
  readonly status: { readonly conditions?: readonly { type: string; message: string }[] };
}): string {
  return status.conditions?.find(({ type }) => type === "Granted")?.message ?? "";
}

function uidOf(object: JsonObject): string {
  const metadata = ownValue(object, "metadata");
  const uid = isJsonObject(metadata) ? ownValue(metadata, "uid") : undefined;
  return typeof uid === "string" ? uid : "";
}
