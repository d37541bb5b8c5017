import type { JsonValue } from "../../../protocol/json-value.ts";
import type { CompiledRule } from "./compiled-rules.ts";
import type { RuleValue } from "./rule-bindings.ts";

/** Rules that hold for a value, with what it cost to see that. Nobody changes the value, so they go on holding. */
const held = new WeakMap<object, Map<CompiledRule, number>>();

/**
 * What it cost to see that a rule holds for this very value; undefined when that was never seen. A rule that looks at
 * the value before is known only for a value that has not changed.
 */
export function costOfHolding(rule: CompiledRule, at: RuleValue): number | undefined {
  return isKeepable(rule, at) ? held.get(at.self)?.get(rule) : undefined;
}

export function noteHolding(rule: CompiledRule, at: RuleValue, cost: number): void {
  if (!isKeepable(rule, at)) return;
  const rules = held.get(at.self);
  if (rules === undefined) held.set(at.self, new Map([[rule, cost]]));
  else rules.set(rule, cost);
}

type Keepable = RuleValue & { readonly self: JsonValue & object };

function isKeepable({ usesOldSelf }: CompiledRule, at: RuleValue): at is Keepable {
  return typeof at.self === "object" && at.self !== null && (!usesOldSelf || at.self === at.oldSelf);
}
