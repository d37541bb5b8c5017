import { amountToJson } from "../resources/fields/amount.ts";
import { parseDimensionKey } from "../resources/fields/dimensions.ts";
import { quotaApiVersion } from "../resources/well-known.ts";
import { percentOf, plus } from "./arithmetic.ts";
import type { PageContent, Reservation } from "./page.ts";
import type { GrantShare } from "./pools.ts";

type Json = Readonly<Record<string, unknown>>;

/** Who writes a page, when, and for which version of its spec. */
export interface PageStamp {
  readonly writer: string;
  readonly now: string;
  readonly generation: number | bigint;
}

/** The status of a page. Conditions are not in it: they have a history, which the page before it holds. */
export function pageStatus(content: PageContent, { writer, now, generation }: PageStamp): Json {
  const { figures, claimCount, grantCount, shares, reservations } = content;
  const { limit, allocated, reserved, available, overage } = figures;
  return {
    observedGeneration: generation,
    limit: amountToJson(limit),
    allocated: amountToJson(allocated),
    reserved: amountToJson(reserved),
    available: amountToJson(available),
    overage: amountToJson(overage),
    usedPercent: percentOf(plus(allocated, reserved), limit),
    claimCount,
    grantCount,
    writer,
    reservations: reservations.map((each) => shownOnce(each, reservationStatus)),
    contributingGrantRefs: shares.map((each) => shownOnce(each, shareStatus)),
    lastReconciliation: now,
  };
}

/** What stays on a page is the same object in its next version: nobody has to check it anew. */
const shown = new WeakMap<object, Json>();

function shownOnce<Part extends object>(part: Part, show: (part: Part) => Json): Json {
  const known = shown.get(part);
  if (known !== undefined) return known;
  const made = show(part);
  shown.set(part, made);
  return made;
}

function reservationStatus(reservation: Reservation): Json {
  const { claim, amount, dimensionKey, set, forced, expirationTime } = reservation;
  return {
    reservedBy: { apiVersion: quotaApiVersion, kind: "ResourceClaim", ...claim },
    amount: amountToJson(amount),
    ...(dimensionKey === "" ? {} : { dimensions: parseDimensionKey(dimensionKey) }),
    set,
    ...(forced ? { forced } : {}),
    ...(expirationTime === "" ? {} : { expirationTime }),
  };
}

function shareStatus({ name, namespace, amount, generation }: GrantShare): Json {
  return { name, namespace, amount: amountToJson(amount), lastObservedGeneration: generation };
}
