import type { JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { writeJson } from "@milo-quota/kubernetes/protocol/json-writer.ts";
import type { CompiledSchema } from "@milo-quota/kubernetes/schema/compiled-schema.ts";
import { isToldByText } from "../objects/exact-text.ts";
import type { CompiledRule } from "./compiled-rules.ts";
import { KnownTexts } from "./known-texts.ts";
import type { RuleValue } from "./rule-bindings.ts";

/** Rules that hold for a value, with what it cost to see that: few, in a chain. */
interface Held {
  readonly rule: CompiledRule;
  readonly cost: number;
  readonly next: Held | undefined;
}

/** Nobody changes a value that is on its way, so what holds for it goes on holding. */
const heldBy = new WeakMap<object, Held>();

/** Lists of requests and conditions are made anew for every object, and mostly say what others say. */
const heldByText = new WeakMap<CompiledRule, KnownTexts>();

/**
 * What it cost to see that a rule holds for this very value, or for one with the same text; undefined when that was
 * never seen. A rule that looks at the value before is known only for a value that has not changed.
 */
export function costOfHolding(rule: CompiledRule, at: RuleValue): number | undefined {
  if (!isKeepable(rule, at)) return undefined;
  let held = heldBy.get(at.self);
  while (held !== undefined && held.rule !== rule) held = held.next;
  return held === undefined ? costByText(rule, at) : held.cost;
}

export function noteHolding(rule: CompiledRule, at: RuleValue, cost: number): void {
  if (!isKeepable(rule, at)) return;
  noteValue(rule, at, cost);
  textsOf(rule, at)?.note(writeJson(at.self), cost);
}

function costByText(rule: CompiledRule, at: Keepable): number | undefined {
  const cost = textsOf(rule, at)?.costOf(writeJson(at.self));
  if (cost !== undefined) noteValue(rule, at, cost);
  return cost;
}

function noteValue(rule: CompiledRule, { self }: Keepable, cost: number): void {
  heldBy.set(self, { rule, cost, next: heldBy.get(self) });
}

/** Undefined for rules that texts say nothing about. */
function textsOf(rule: CompiledRule, { compiled }: Keepable): KnownTexts | undefined {
  const known = heldByText.get(rule);
  if (known !== undefined) return known.isAsked ? known : undefined;
  if (!isToldBy(rule, compiled)) return undefined;
  const texts = new KnownTexts();
  heldByText.set(rule, texts);
  return texts;
}

function isToldBy({ usesOldSelf }: CompiledRule, compiled: CompiledSchema): boolean {
  return !usesOldSelf && isToldByText(compiled);
}

type Keepable = RuleValue & { readonly self: JsonValue & object };

function isKeepable({ usesOldSelf }: CompiledRule, at: RuleValue): at is Keepable {
  return typeof at.self === "object" && at.self !== null && (!usesOldSelf || at.self === at.oldSelf);
}
