import {
  type ApiStatus,
  alreadyExists,
  failure,
  type GroupResource,
  type StatusCause,
  type StatusDetails,
} from "@milo-quota/kubernetes/protocol/api-status.ts";
import { type Amount, amountOf, noAmount } from "../../core/resources/fields/amount.ts";
import { consumerText } from "../../core/resources/fields/consumer-ref.ts";
import type { ResourceClaim } from "../../core/resources/resource-claim.ts";
import type { PolicyFailure } from "../policies/policy-wishes.ts";

/** What the causes of a refusal give as their reason: by it programs tell refusals apart. */
export const causeReasons = {
  /** Not enough quota; the field of the cause is the resource type. */
  exceeded: "QuotaExceeded",
  /** Nobody decided in time; asking again may help. */
  timeout: "QuotaDecisionTimeout",
  /** Nobody can decide now; asking again may help. */
  undecided: "QuotaUndecided",
  /** Somebody has to mend something first. */
  misconfigured: "QuotaMisconfigured",
} as const;

const retrySeconds = 1;

/** Why an object cannot be stored, or not now. */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly status: ApiStatus;
  readonly kind: "insufficient" | "timeout" | "busy" | "misconfigured" | "taken";
  /** The reason alone, without what it means for the request. */
  readonly because: string;

  constructor(kind: Refused["kind"], status: ApiStatus, because = status.message ?? kind) {
    super(status.message ?? kind);
    this.kind = kind;
    this.status = status;
    this.because = because;
  }

  static timeout(because: string): Refused {
    return new Refused("timeout", later(because, causeReasons.timeout), because);
  }

  /** Nobody can say now; asking again may help. */
  static busy(because: string): Refused {
    return new Refused("busy", later(because, causeReasons.undecided), because);
  }

  /** A policy, or what it refers to, has to be fixed first. */
  static misconfigured(because: string, what = "a quota policy is misconfigured"): Refused {
    const message = `rejected because ${what} (ask your platform team to fix it): ${because}`;
    const details: StatusDetails = { causes: [{ reason: causeReasons.misconfigured, message: because }] };
    return new Refused("misconfigured", failure("InternalError", message, details), because);
  }

  static failedToEvaluate(failures: readonly PolicyFailure[]): Refused {
    const names = failures.map(({ policy }) => JSON.stringify(policy.policy.metadata.name ?? "")).join(", ");
    const because = failures.map(({ message }) => message).join("; ");
    return Refused.misconfigured(
      because,
      `quota ${failures.length === 1 ? "policy" : "policies"} ${names} failed to evaluate`,
    );
  }

  static taken(resource: GroupResource, name: string): Refused {
    return new Refused("taken", alreadyExists(resource, name));
  }

  /** The numbers are in the claims; what to do about it is for those to say who run this. */
  static insufficient(shortages: readonly Shortage[], advice: string): Refused {
    const texts = shortages.map(({ message }) => message);
    const hints = [...new Set(shortages.flatMap(({ hint }) => (hint === undefined ? [] : [hint])))];
    const message = [`Insufficient quota resources available: ${texts.join("; ")}.`, ...hints, advice].join(" ").trim();
    const causes: readonly StatusCause[] = shortages.map(({ message: text, resourceType }) => ({
      reason: causeReasons.exceeded,
      message: text,
      field: resourceType,
    }));
    return new Refused("insufficient", failure("Forbidden", message, { causes }));
  }
}

function later(because: string, reason: string): ApiStatus {
  const causes = [{ reason, message: because }];
  return failure("ServiceUnavailable", `quota could not be decided: ${because}; try again`, {
    causes,
    retryAfterSeconds: retrySeconds,
  });
}

/** A request that does not fit. */
export interface Shortage {
  readonly resourceType: string;
  readonly message: string;
  /** What else helps to understand it. */
  readonly hint?: string;
}

/** What a denied claim says of itself: one shortage for each request that did not fit. */
export function shortagesOf({ consumer, status }: ResourceClaim): readonly Shortage[] {
  return (status.allocations ?? []).flatMap(({ resourceType, message = "", limit }) => {
    const known = limit === undefined ? undefined : amountOf(limit);
    return shortageOf({ resourceType, text: message, limit: known }, consumerText(consumer)) ?? [];
  });
}

/** The answer to a request. */
export interface RequestAnswer {
  readonly resourceType: string;
  readonly text: string;
  /** What there is in all; undefined where that is not known. */
  readonly limit: Amount | undefined;
}

/** Undefined for a request that would have fitted. */
export function shortageOf({ resourceType, text, limit }: RequestAnswer, consumer: string): Shortage | undefined {
  const numbers = /^(.*?): (requested .*)$/s.exec(text);
  if (numbers === null) return undefined;
  const message = `${numbers[1]} for ${consumer}: ${numbers[2]}`;
  return limit === noAmount
    ? { resourceType, message, hint: `Nothing of it is granted to ${consumer} yet.` }
    : { resourceType, message };
}
