import { contributingGrantsMax } from "../resources/allowance-bucket.ts";
import { type Amount, amountMax, amountToJson } from "../resources/amount.ts";
import { parseDimensionKey } from "../resources/dimensions.ts";
import type { ResourceGrant } from "../resources/resource-grant.ts";
import { quotaApiVersion } from "../resources/well-known.ts";
import { least, percentOf, plus, total } from "./arithmetic.ts";
import type { Reservation } from "./page.ts";
import type { Figures } from "./page-book.ts";
import { poolsOf } from "./pools.ts";
import type { PageContent } from "./rewrite.ts";

type Json = Readonly<Record<string, unknown>>;

const grantBytesMax = 12 * 1024;
/** Field names, amount and generation of a grant, in JSON. */
const grantFrame = 96;

/** What is known of a page beside its content. */
export interface PageDetails {
  readonly resourceType: string;
  readonly writer: string;
  readonly now: string;
  readonly generation: number | bigint;
  /** All Active grants of the consumer. */
  readonly grants: readonly ResourceGrant[];
}

/** The status of a page. Conditions are not in it: they have a history, which the page before it holds. */
export function pageStatus({ figures, claimCount, reservations }: PageContent, details: PageDetails): Json {
  const grants = details.grants.filter((grant) => grantsType(grant, details.resourceType));
  return {
    observedGeneration: details.generation,
    ...figuresStatus(figures),
    claimCount,
    grantCount: grants.length,
    writer: details.writer,
    reservations: reservations.map(reservationStatus),
    contributingGrantRefs: contributingGrants(grants, details.resourceType),
    lastReconciliation: details.now,
  };
}

/** The figures of a bucket, or of a view for one set of dimensions. */
function figuresStatus({ limit, allocated, reserved, available, overage }: Figures): Json {
  return {
    limit: wireAmount(limit),
    allocated: wireAmount(allocated),
    reserved: wireAmount(reserved),
    available: wireAmount(available),
    overage: wireAmount(overage),
    usedPercent: percentOf(plus(allocated, reserved), limit),
  };
}

function reservationStatus(reservation: Reservation): Json {
  const { claim, amount, dimensionKey, set, forced, expirationTime } = reservation;
  return {
    reservedBy: { apiVersion: quotaApiVersion, kind: "ResourceClaim", ...claim },
    amount: wireAmount(amount),
    ...(dimensionKey === "" ? {} : { dimensions: parseDimensionKey(dimensionKey) }),
    set,
    ...(forced ? { forced } : {}),
    ...(expirationTime === "" ? {} : { expirationTime }),
  };
}

/** The grants behind a limit, the first by name: up to fifty, fewer when their names are long. */
function contributingGrants(grants: readonly ResourceGrant[], resourceType: string): readonly Json[] {
  let bytes = 0;
  return [...grants]
    .sort((left, right) => (fullName(left) < fullName(right) ? -1 : 1))
    .slice(0, contributingGrantsMax)
    .filter((grant) => {
      bytes += grantFrame + fullName(grant).length;
      return bytes <= grantBytesMax;
    })
    .map((grant) => ({
      name: grant.metadata.name ?? "",
      namespace: grant.metadata.namespace ?? "",
      amount: wireAmount(grantedBy(grant, resourceType)),
      lastObservedGeneration: grant.metadata.generation ?? 0,
    }));
}

function grantsType(grant: ResourceGrant, resourceType: string): boolean {
  return grant.allowances.some((allowance) => allowance.resourceType === resourceType);
}

function grantedBy(grant: ResourceGrant, resourceType: string): Amount {
  return total(poolsOf([grant], resourceType).map((pool) => pool.amount));
}

function fullName({ metadata }: ResourceGrant): string {
  return `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
}

/** Grants may add up to more than an int64; what is shown stops there, what is decided does not. */
function wireAmount(amount: Amount): number | bigint {
  return amountToJson(least(amount, amountMax));
}
