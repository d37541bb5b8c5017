import { consumerText } from "../core/resources/consumer-ref.ts";
import type { ResourceClaim } from "../core/resources/resource-claim.ts";
import {
  type ApiStatus,
  alreadyExists,
  failure,
  type GroupResource,
  type StatusCause,
  serviceUnavailable,
} from "../protocol/api-status.ts";

/** Why an object cannot be stored, or not now. */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly status: ApiStatus;
  readonly kind: "insufficient" | "busy" | "misconfigured" | "taken";

  constructor(kind: Refused["kind"], status: ApiStatus) {
    super(status.message ?? kind);
    this.kind = kind;
    this.status = status;
  }

  /** Nobody can say now; asking again may help. */
  static busy(because: string): Refused {
    return new Refused("busy", serviceUnavailable(`quota could not be decided: ${because}; try again`, retrySeconds));
  }

  /** Nobody will be able to say until somebody mends something. */
  static misconfigured(because: string): Refused {
    const message = `quota is misconfigured, and nothing can be created until it is mended: ${because}`;
    return new Refused(
      "misconfigured",
      failure("InternalError", message, { causes: [{ reason: "QuotaMisconfigured", message: because }] }),
    );
  }

  static taken(resource: GroupResource, name: string): Refused {
    return new Refused("taken", alreadyExists(resource, name));
  }

  /** The numbers are in the claims; what to do about it is for those to say who run this. */
  static insufficient(shortages: readonly Shortage[], advice: string): Refused {
    const texts = shortages.map(({ message }) => message);
    const message = `Insufficient quota resources available: ${texts.join("; ")}. ${advice}`.trim();
    const causes: readonly StatusCause[] = shortages.map(({ message: text, resourceType }) => ({
      reason: "QuotaExceeded",
      message: text,
      field: resourceType,
    }));
    return new Refused("insufficient", failure("Forbidden", message, { causes }));
  }
}

const retrySeconds = 1;

/** A request that does not fit. */
export interface Shortage {
  readonly resourceType: string;
  readonly message: string;
}

/** What a denied claim says of itself: one shortage for each request that did not fit. */
export function shortagesOf({ consumer, status }: ResourceClaim): readonly Shortage[] {
  return (status.allocations ?? []).flatMap(({ resourceType, message = "" }) => {
    const numbers = /^(.*?): (requested .*)$/s.exec(message);
    if (numbers === null) return [];
    return [{ resourceType, message: `${numbers[1]} for ${consumerText(consumer)}: ${numbers[2]}` }];
  });
}
