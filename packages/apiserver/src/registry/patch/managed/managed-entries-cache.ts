import type { ManagedFieldsEntry } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { Comparison } from "../fields/compare-objects.ts";
import { isRepeated } from "./comparison-cache.ts";
import type { Owner, Owners } from "./owner.ts";
import { PairMemo } from "./pair-memo.ts";

/** Whoever makes a change, and when. */
export type Maker = Omit<Owner, "fields">;

type Entries = readonly ManagedFieldsEntry[] | undefined;

/** What came of owners by a change, when it was last made. */
interface Latest {
  by?: Maker;
  entries?: Entries;
}

const latest = new PairMemo<Comparison, Owners, Latest>(() => ({}));

/**
 * The managed fields after a change. A manager does the same to many objects within a second; they have the very same
 * entries then, and the same owners, so that this holds for what it does to them next as well.
 */
export function cachedEntries(owners: Owners, comparison: Comparison, maker: Maker, make: () => Entries): Entries {
  // What others own in another version is compared in that version.
  if (!isRepeated(comparison) || !areIn(maker.apiVersion, owners)) return make();
  const known = latest.of(comparison, owners);
  if (known.by !== undefined && isSame(known.by, maker)) return known.entries;
  known.by = maker;
  known.entries = make();
  return known.entries;
}

function areIn(apiVersion: string, owners: Owners): boolean {
  for (const owner of owners.values()) if (owner.apiVersion !== apiVersion) return false;
  return true;
}

function isSame(one: Maker, other: Maker): boolean {
  return (
    one.timeSeconds === other.timeSeconds &&
    one.manager === other.manager &&
    one.subresource === other.subresource &&
    one.apiVersion === other.apiVersion &&
    one.operation === other.operation
  );
}
