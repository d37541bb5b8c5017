import {
  type ApiStatus,
  alreadyExists,
  failure,
  type GroupResource,
  resourceForbidden,
  type StatusCause,
  type StatusDetails,
} from "@milo-quota/kubernetes/protocol/api-status.ts";
import { forOtherDimensions } from "../../core/ledger/decision-status.ts";
import { type Amount, amountOf, noAmount } from "../../core/resources/fields/amount.ts";
import { consumerText } from "../../core/resources/fields/consumer-ref.ts";
import type { ResourceClaim } from "../../core/resources/resource-claim.ts";
import { typeWithName } from "../../core/resources/rules/display-names.ts";
import type { RegistrationView } from "../../core/resources/rules/registration-rules.ts";
import type { ObjectChange } from "../object-change.ts";
import type { PolicyFailure } from "../policies/rendered-claims.ts";

/** The reasons of `details.causes` in rejections, by which programs distinguish them. */
export const causeReasons = {
  /** Not enough quota; the field of the cause is the resource type. */
  exceeded: "QuotaExceeded",
  /** Not decided in time. A retry may help. */
  timeout: "QuotaDecisionTimeout",
  /** Cannot be decided at the moment. A retry may help. */
  undecided: "QuotaUndecided",
  /** A policy, or an object it refers to, must be fixed first. */
  misconfigured: "QuotaMisconfigured",
} as const;

const retrySeconds = 1;

/** Why a request is rejected. */
export class Rejection extends Error {
  override readonly name = "Rejection";
  readonly status: ApiStatus;
  readonly kind: "insufficient" | "timeout" | "undecided" | "misconfigured" | "exists";
  /** The cause alone, for use in other messages. */
  readonly because: string;

  constructor(kind: Rejection["kind"], status: ApiStatus, because = status.message ?? kind) {
    super(status.message ?? kind);
    this.kind = kind;
    this.status = status;
    this.because = because;
  }

  static timeout(because: string): Rejection {
    return new Rejection("timeout", retryLater(because, causeReasons.timeout), because);
  }

  /** Cannot be decided at the moment. A retry may help. */
  static undecided(because: string): Rejection {
    return new Rejection("undecided", retryLater(because, causeReasons.undecided), because);
  }

  /** A policy, or an object it refers to, must be fixed first. */
  static misconfigured(because: string, what = "a quota policy is misconfigured"): Rejection {
    const message = `rejected because ${what} (ask your platform team to fix it): ${because}`;
    const details: StatusDetails = { causes: [{ reason: causeReasons.misconfigured, message: because }] };
    return new Rejection("misconfigured", failure("InternalError", message, details), because);
  }

  static failedToEvaluate(failures: readonly PolicyFailure[]): Rejection {
    const names = failures.map(({ policy }) => JSON.stringify(policy.policy.metadata.name ?? "")).join(", ");
    const because = failures.map(({ message }) => message).join("; ");
    return Rejection.misconfigured(
      because,
      `quota ${failures.length === 1 ? "policy" : "policies"} ${names} failed to evaluate`,
    );
  }

  static alreadyExists(resource: GroupResource, name: string): Rejection {
    return new Rejection("exists", alreadyExists(resource, name));
  }

  /** `advice` tells the user what to do about it. The operator of the system can change it. */
  static insufficient(shortages: readonly Shortage[], { kind, name }: RejectedObject, advice: string): Rejection {
    const texts = shortages.map(({ message }) => message);
    const hints = [...new Set(shortages.flatMap(({ hint }) => (hint === undefined ? [] : [hint])))];
    const because = [`Insufficient quota resources available: ${texts.join("; ")}.`, ...hints, advice].join(" ").trim();
    const causes: readonly StatusCause[] = shortages.map(({ message: text, resourceType }) => ({
      reason: causeReasons.exceeded,
      message: text,
      field: resourceType,
    }));
    const status = resourceForbidden({ group: kind.group, resource: kind.plural }, name, because);
    return new Rejection("insufficient", { ...status, details: { ...status.details, causes } }, because);
  }
}

function retryLater(because: string, reason: string): ApiStatus {
  const causes = [{ reason, message: because }];
  return failure("ServiceUnavailable", `quota could not be decided: ${because}; try again`, {
    causes,
    retryAfterSeconds: retrySeconds,
  });
}

/** The object of the rejected request. */
export type RejectedObject = Pick<ObjectChange, "kind" | "name">;

/** A claim request that does not fit. */
export interface Shortage {
  readonly resourceType: string;
  readonly message: string;
  /** Further explanation, shown once for all shortages that share it. */
  readonly hint?: string;
}

/** How shortages are worded. */
export interface ShortageContext {
  readonly registrations: RegistrationView;
  /** Whether the claim is for what an object needs more than before. */
  readonly isGrowth: boolean;
}

/** The shortages of a denied claim: one for each request that did not fit. */
export function shortagesOf({ consumer, status }: ResourceClaim, context: ShortageContext): readonly Shortage[] {
  return (status.allocations ?? []).flatMap(({ resourceType, message = "", limit }) => {
    const known = limit === undefined ? undefined : amountOf(limit);
    return shortageOf({ resourceType, text: message, limit: known, consumer: consumerText(consumer) }, context) ?? [];
  });
}

/** The outcome of one request of a claim. */
export interface RequestOutcome {
  readonly resourceType: string;
  readonly text: string;
  /** The limit; undefined when it is unknown. */
  readonly limit: Amount | undefined;
  readonly consumer: string;
}

/** Undefined for a request that would have fitted. */
export function shortageOf(
  { resourceType, text, limit, consumer }: RequestOutcome,
  { registrations, isGrowth }: ShortageContext,
): Shortage | undefined {
  const parts = /^(?<quota>.*?): requested (?<amount>\S+) (?<rest>.*)$/s.exec(text)?.groups;
  if (parts === undefined) return undefined;
  const { quota = "", amount = "", rest = "" } = parts;
  // The quota may be the type and its dimensions.
  const named = `${typeWithName(registrations, resourceType)}${quota.slice(resourceType.length)}`;
  const message = `${named} for ${consumer}: requested ${amount} ${isGrowth ? "more " : ""}${rest}`;
  return limit === noAmount && !rest.includes(forOtherDimensions)
    ? { resourceType, message, hint: `${consumer} has no grant for it yet.` }
    : { resourceType, message };
}
