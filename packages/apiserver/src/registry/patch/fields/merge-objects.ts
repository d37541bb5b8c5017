import { type JsonValue, ownValue, setOwn } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { hasItems, hasMembers } from "./compare-objects.ts";
import { itemsByName, type NamedItem, namedItems } from "./list-items.ts";
import type { ListType, MapType, MergeType } from "./merge-type.ts";
import { itemsOf, membersOf, memberType, variantOf } from "./type-variant.ts";

type Side = JsonValue | undefined;

/**
 * Merges an applied configuration into a live object. Nothing is removed; for leaves in both, the applied value wins.
 * The inputs are not changed. Undefined when nothing remains, as for an object whose members are all empty lists.
 */
export function mergeObjects(type: MergeType, live: Side, applied: Side): Side {
  const decides = applied === undefined ? live : applied;
  if (decides === undefined) return undefined;
  const form = variantOf(type, decides);
  if (form.kind === "map" && !form.type.isAtomic && hasMembers(live, applied)) {
    return mergeMembers(form.type, live, applied);
  }
  if (form.kind === "list" && form.type.kind !== "atomic" && hasItems(live, applied)) {
    return mergeItems(form.type, live, applied);
  }
  return decides;
}

function mergeMembers(map: MapType, live: Side, applied: Side): Side {
  const [left, right] = [membersOf(live), membersOf(applied)];
  const merged: Record<string, JsonValue> = {};
  for (const name of new Set([...Object.keys(left), ...Object.keys(right)])) {
    const type = memberType(map, name);
    const value = type === undefined ? undefined : mergeObjects(type, ownValue(left, name), ownValue(right, name));
    if (value !== undefined) setOwn(merged, name, value);
  }
  return Object.keys(merged).length > 0 ? merged : undefined;
}

/**
 * Items of both sides are in the applied order; items of one side keep their position among them. Live items with
 * duplicate names are replaced as one.
 */
function mergeItems(list: ListType, live: Side, applied: Side): Side {
  const left = namedItems(list, itemsOf(live));
  const right = namedItems(list, itemsOf(applied));
  const liveByName = itemsByName(left);
  const appliedByName = itemsByName(right);
  const both = (item: NamedItem): Side => {
    const same = liveByName.get(item.element.text) ?? [];
    return mergeObjects(list.items, same.length > 1 ? null : same[0]?.value, item.value);
  };
  const merged = interleave(left, right, {
    isApplied: (name) => appliedByName.has(name),
    isLive: (name) => liveByName.has(name),
  });
  const items = merged.map(({ side, item }) =>
    side === "applied" ? both(item) : mergeObjects(list.items, item.value, undefined),
  );
  const present = items.filter((item) => item !== undefined);
  return present.length > 0 ? present : undefined;
}

interface OrderedItem {
  readonly side: "live" | "applied";
  readonly item: NamedItem;
}

interface Membership {
  readonly isApplied: (name: string) => boolean;
  readonly isLive: (name: string) => boolean;
}

/** The order of a merged list, as in structured-merge-diff: walks both lists, aligned by the names in both. */
function interleave(left: readonly NamedItem[], right: readonly NamedItem[], has: Membership): readonly OrderedItem[] {
  const shared = right.map(({ element }) => element.text).filter(has.isLive);
  const taken = new Set<string>();
  const placed: OrderedItem[] = [];
  let [atLeft, atRight, atShared] = [0, 0, 0];
  const takeRight = (item: NamedItem): void => {
    taken.add(item.element.text);
    placed.push({ side: "applied", item });
    if (shared[atShared] === item.element.text) atShared += 1;
    atRight += 1;
  };
  while (atLeft < left.length || atRight < right.length) {
    const [mine, theirs] = [left[atLeft], right[atRight]];
    const name = mine?.element.text;
    if (mine !== undefined && theirs !== undefined && name === theirs.element.text) {
      takeRight(theirs);
      atLeft += 1;
    } else if (mine !== undefined && !has.isApplied(mine.element.text)) {
      placed.push({ side: "live", item: mine });
      atLeft += 1;
    } else if (name !== undefined && theirs !== undefined && atShared < shared.length && shared[atShared] !== name) {
      // In both lists, but not at this position.
      atLeft += 1;
    } else {
      if (name !== undefined && taken.has(name)) atLeft += 1;
      if (theirs !== undefined) takeRight(theirs);
    }
  }
  return placed;
}
