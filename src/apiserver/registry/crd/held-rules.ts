import type { JsonValue } from "../../../protocol/json-value.ts";
import type { CompiledRule } from "./compiled-rules.ts";
import type { RuleValue } from "./rule-bindings.ts";

/** Rules that hold for a value, with what it cost to see that: few, in a chain. */
interface Held {
  readonly rule: CompiledRule;
  readonly cost: number;
  readonly next: Held | undefined;
}

/** Nobody changes a value that is on its way, so what holds for it goes on holding. */
const heldBy = new WeakMap<object, Held>();

/**
 * What it cost to see that a rule holds for this very value; undefined when that was never seen. A rule that looks at
 * the value before is known only for a value that has not changed.
 */
export function costOfHolding(rule: CompiledRule, at: RuleValue): number | undefined {
  let held = isKeepable(rule, at) ? heldBy.get(at.self) : undefined;
  while (held !== undefined && held.rule !== rule) held = held.next;
  return held?.cost;
}

export function noteHolding(rule: CompiledRule, at: RuleValue, cost: number): void {
  if (isKeepable(rule, at)) heldBy.set(at.self, { rule, cost, next: heldBy.get(at.self) });
}

type Keepable = RuleValue & { readonly self: JsonValue & object };

function isKeepable({ usesOldSelf }: CompiledRule, at: RuleValue): at is Keepable {
  return typeof at.self === "object" && at.self !== null && (!usesOldSelf || at.self === at.oldSelf);
}
