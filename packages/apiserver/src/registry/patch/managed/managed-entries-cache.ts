import type { ManagedFieldsEntry } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { Comparison } from "../fields/compare-objects.ts";
import { isRepeated } from "./comparison-cache.ts";
import type { Owner, Owners } from "./owner.ts";
import { PairMemo } from "./pair-memo.ts";

/** Manager, operation and time of a change. */
export type ChangeAuthor = Omit<Owner, "fields">;

type Entries = readonly ManagedFieldsEntry[] | undefined;

/** The result of the latest change of these owners. */
interface Latest {
  by?: ChangeAuthor;
  entries?: Entries;
}

const latest = new PairMemo<Comparison, Owners, Latest>(() => ({}));

/**
 * The managed fields after a change. A manager often makes the same change to many objects within a second: they share
 * entries and owners, so the cache also hits for the next change.
 */
export function cachedEntries(
  owners: Owners,
  comparison: Comparison,
  maker: ChangeAuthor,
  make: () => Entries,
): Entries {
  // Ownership in other versions must be compared in those versions.
  if (!isRepeated(comparison) || !areIn(maker.apiVersion, owners)) return make();
  const cached = latest.of(comparison, owners);
  if (cached.by !== undefined && isSame(cached.by, maker)) return cached.entries;
  cached.by = maker;
  cached.entries = make();
  return cached.entries;
}

function areIn(apiVersion: string, owners: Owners): boolean {
  for (const owner of owners.values()) if (owner.apiVersion !== apiVersion) return false;
  return true;
}

function isSame(one: ChangeAuthor, other: ChangeAuthor): boolean {
  return (
    one.timeSeconds === other.timeSeconds &&
    one.manager === other.manager &&
    one.subresource === other.subresource &&
    one.apiVersion === other.apiVersion &&
    one.operation === other.operation
  );
}
