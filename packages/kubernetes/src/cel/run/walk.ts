import { elementAt, listSize } from "../values/lists.ts";
import { mapEntries } from "../values/maps.ts";
import { isList, isMapping, type List, type MapEntry, type Outcome, type Value } from "../values/value.ts";
import type { Frame } from "./frame.ts";

/** The elements of a list or map, as seen by macro variables. */
export interface Walk {
  readonly size: number;
  /** Binds an element to the variable slots: the given one, and the next if there are two. */
  enter(locals: Outcome[], slot: number, index: number): void;
}

/** With one variable over elements or keys, with two over indexes and elements or keys and values. */
export function walkOver(value: Value, variables: 1 | 2, frame: Frame): Walk | undefined {
  if (isList(value)) return variables === 1 ? new ElementWalk(value) : new IndexWalk(value);
  if (!isMapping(value)) return undefined;
  const entries = mapEntries(value);
  // Collecting the keys takes time, even if the first one decides.
  frame.spend(Math.max(0, entries.length - 10));
  return variables === 1 ? new KeyWalk(entries) : new EntryWalk(entries);
}

class ElementWalk implements Walk {
  readonly size: number;
  readonly #list: List;
  constructor(list: List) {
    this.size = listSize(list);
    this.#list = list;
  }
  enter(locals: Outcome[], slot: number, index: number): void {
    locals[slot] = elementAt(this.#list, index);
  }
}

class IndexWalk extends ElementWalk {
  override enter(locals: Outcome[], slot: number, index: number): void {
    locals[slot] = BigInt(index);
    super.enter(locals, slot + 1, index);
  }
}

class KeyWalk implements Walk {
  readonly size: number;
  readonly entries: readonly MapEntry[];
  constructor(entries: readonly MapEntry[]) {
    this.size = entries.length;
    this.entries = entries;
  }
  enter(locals: Outcome[], slot: number, index: number): void {
    locals[slot] = (this.entries[index] as MapEntry).key;
  }
}

class EntryWalk extends KeyWalk {
  override enter(locals: Outcome[], slot: number, index: number): void {
    super.enter(locals, slot, index);
    locals[slot + 1] = (this.entries[index] as MapEntry).value;
  }
}
