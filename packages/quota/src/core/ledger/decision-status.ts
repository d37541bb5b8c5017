import type { ConditionState } from "@milo-quota/kubernetes/protocol/condition.ts";
import { type Amount, amountMax, amountToJson, noAmount } from "../resources/fields/amount.ts";
import type { Dimensions } from "../resources/fields/dimensions.ts";
import { displayAmount, displayFloor, displayNumber, type Unit } from "../resources/fields/units.ts";
import type { ClaimRequest } from "../resources/resource-claim.ts";
import { least, minusOrNone, total } from "./arithmetic.ts";
import type { ShortPart } from "./settle.ts";

/** The status fields that a decision sets: condition and allocations are always written together. */
export interface DecisionStatus {
  readonly condition: ConditionState;
  readonly allocations: readonly AllocationStatus[];
}

export interface AllocationStatus {
  readonly resourceType: string;
  /** Absent when the request has none. */
  readonly dimensions?: Dimensions;
  readonly status: "Granted" | "Denied";
  readonly reason: "QuotaAvailable" | "QuotaExceeded" | "ValidationFailed";
  readonly message: string;
  readonly allocatedAmount: number | bigint;
  /** Only for a request that did not fit. */
  readonly limit?: number | bigint;
  readonly allocatingBucket?: string;
}

/** Units and bucket names for status messages. */
export interface DisplayContext {
  unitOf(resourceType: string): Unit;
  bucketOf(resourceType: string): string;
}

/** For a claim whose requests are all reserved: it holds the amounts from now on. */
export function grantedStatus(requests: readonly ClaimRequest[], context: DisplayContext): DecisionStatus {
  return {
    condition: {
      type: "Granted",
      status: "True",
      reason: "QuotaAvailable",
      message: `All ${requests.length} resource requests have been granted`,
    },
    allocations: requests.map((request) => {
      const bucket = context.bucketOf(request.resourceType);
      return {
        ...allocatedFor(request),
        allocatedAmount: amountToJson(request.amount),
        status: "Granted",
        reason: "QuotaAvailable",
        message: allocatedText(request.amount, context.unitOf(request.resourceType), bucket),
        allocatingBucket: bucket,
      };
    }),
  };
}

export function allocatedText(amount: Amount, unit: Unit, bucket: string): string {
  return `Allocated ${displayAmount(amount, unit)} from bucket ${bucket}`;
}

/** For a claim that cannot be decided at present: it holds nothing. `messages` say why, for each request. */
export function invalidAllocations(
  requests: readonly ClaimRequest[],
  messages: readonly string[],
): readonly AllocationStatus[] {
  return requests.map((request, at) => ({
    ...allocatedFor(request),
    allocatedAmount: amountToJson(noAmount),
    status: "Denied",
    reason: "ValidationFailed",
    message: messages[at] ?? "",
  }));
}

/** For a claim with a request that did not fit: it holds nothing, and each request says why. */
export function deniedStatus(
  requests: readonly ClaimRequest[],
  short: readonly ShortPart[],
  context: DisplayContext,
): DecisionStatus {
  const reasons = short.map((part) => shortageText(part, context.unitOf(part.part.resourceType)));
  const others = [...new Set(short.map(({ part }) => partText(part)))].join(", ");
  return {
    condition: { type: "Granted", status: "False", reason: "QuotaExceeded", message: reasons.join("; ") },
    allocations: requests.map((request) => {
      const at = short.findIndex(({ part }) => isPart(request, part));
      const figures = short[at]?.figures;
      return {
        ...allocatedFor(request),
        allocatedAmount: amountToJson(noAmount),
        status: "Denied",
        reason: "QuotaExceeded",
        message: reasons[at] ?? `Would fit; not granted because ${others} did not`,
        ...(figures === undefined ? {} : { limit: amountToJson(least(figures.limit, amountMax)) }),
      };
    }),
  };
}

/** How a shortage ends if there are grants, but none for the dimensions of the request. */
export const forOtherDimensions = "granted, for other dimensions only";

/** `x/projects: requested 1 project, limit 3, allocated 3, reserved 0, available 0`. */
export function shortageText({ part, figures, grantedElsewhere }: ShortPart, unit: Unit): string {
  const { limit, allocated, reserved, available } = figures;
  const numbers = [
    `requested ${displayAmount(part.amount, unit)}`,
    `limit ${displayNumber(limit, unit)}`,
    `allocated ${displayNumber(allocated, unit)}`,
    `reserved ${displayNumber(reserved, unit)}`,
    `available ${displayFloor(available, unit)}`,
  ];
  const elsewhere = minusOrNone(limit, total([allocated, reserved, available]));
  const shared = elsewhere === 0n ? "" : ` (${displayNumber(elsewhere, unit)} taken by other dimensions or requests)`;
  const granted =
    grantedElsewhere === undefined ? "" : ` (${displayAmount(grantedElsewhere, unit)} ${forOtherDimensions})`;
  return `${partText(part)}: ${numbers.join(", ")}${shared}${granted}`;
}

function partText({ resourceType, dimensionKey }: ShortPart["part"]): string {
  return dimensionKey === "" ? resourceType : `${resourceType} (${dimensionKey})`;
}

function allocatedFor({ resourceType, dimensions, dimensionKey }: ClaimRequest) {
  return dimensionKey === "" ? { resourceType } : { resourceType, dimensions };
}

function isPart(request: ClaimRequest, part: ShortPart["part"]): boolean {
  return request.resourceType === part.resourceType && request.dimensionKey === part.dimensionKey;
}
