import {
  type LabelRequirements,
  type Labels,
  matchesLabels,
} from "@milo-quota/kubernetes/protocol/selectors/label-selector.ts";
import { amountMax, amountToJson } from "../resources/fields/amount.ts";
import { dimensionKey, parseDimensionKey } from "../resources/fields/dimensions.ts";
import type { ResourceGrant } from "../resources/resource-grant.ts";
import { least } from "./arithmetic.ts";
import type { PageContent } from "./page.ts";
import type { PageBook } from "./page-book.ts";
import { capacityOf } from "./pools.ts";
import { shown } from "./rewrite.ts";

/** How many sets of dimensions are shown of one page. Claims choose them, so there may be any number. */
const dimensionSetsMax = 1_000;

/** The sets of dimensions worth a bucket of their own, by key: those that a grant names exactly, and those in use. */
export function shownDimensions(book: PageBook): readonly string[] {
  const granted = book.capacity.pools.map(({ requirements }) => exactKey(requirements)).sort();
  const used = book.dimensionKeys.filter((key) => parseDimensionKey(key) !== undefined).sort();
  const keys = [...new Set([...granted, ...used])].filter((key) => key !== "");
  return keys.slice(0, dimensionSetsMax);
}

/** What a bucket for one set of dimensions says. Promises are on the page alone; `grants` are all the consumer has. */
export function dimensionContent(book: PageBook, key: string, grants: readonly ResourceGrant[]): PageContent {
  const { claimCount, ...figures } = book.figuresFor(key);
  const dimensions = parseDimensionKey(key) ?? {};
  const { grantCount, shares } = capacityOf(
    grants.map((grant) => givenTo(grant, dimensions)),
    book.resourceType,
  );
  return { figures: shown(figures), claimCount, grantCount, shares, reservations: [] };
}

/** The total of a consumer's resource type over all dimensions. */
export function effectiveStatus(book: PageBook): Readonly<Record<string, number | bigint>> {
  const { limit, allocated, reserved, overage } = shown(book.figures());
  return {
    totalLimit: amountToJson(limit),
    totalAllocated: amountToJson(allocated),
    totalReserved: amountToJson(reserved),
    available: amountToJson(least(book.unassigned, amountMax)),
    overage: amountToJson(overage),
  };
}

/** What granted claims hold from the bucket of one set of dimensions; from the page, when there are none. */
export function allocatedFrom(book: PageBook, key: string): number | bigint {
  const { allocated } = key === "" ? book.figures() : book.figuresFor(key);
  return amountToJson(least(allocated, amountMax));
}

/** The dimensions that a pool is for, if it names a value for each; nothing, if it is for more than one set of them. */
function exactKey(requirements: LabelRequirements): string {
  if (!requirements.every(({ operator, values }) => operator === "In" && values.length === 1)) return "";
  const dimensions = Object.fromEntries(requirements.map(({ key, values }) => [key, values[0] as string]));
  return matchesLabels(requirements, dimensions) ? dimensionKey(dimensions) : "";
}

/** What of a grant requests with these dimensions may draw from. */
function givenTo(grant: ResourceGrant, dimensions: Labels): ResourceGrant {
  const allowances = grant.allowances.map(({ resourceType, buckets }) => ({
    resourceType,
    buckets: buckets.filter(({ requirements }) => matchesLabels(requirements, dimensions)),
  }));
  return { ...grant, allowances: allowances.filter(({ buckets }) => buckets.length > 0) };
}
