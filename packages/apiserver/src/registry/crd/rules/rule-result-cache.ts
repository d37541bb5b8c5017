import type { JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { writeJson } from "@milo-quota/kubernetes/protocol/json-writer.ts";
import type { CompiledSchema } from "@milo-quota/kubernetes/schema/compiled-schema.ts";
import { isDeterminedByText } from "../objects/exact-text.ts";
import type { CompiledRule } from "./compiled-rules.ts";
import type { RuleValue } from "./rule-bindings.ts";
import { TextCostCache } from "./text-cost-cache.ts";

/** Rules that passed for a value, with their cost: few, as a linked list. */
interface PassedRule {
  readonly rule: CompiledRule;
  readonly cost: number;
  readonly next: PassedRule | undefined;
}

/** Values in flight are immutable, so a rule that passed keeps passing. */
const passedBy = new WeakMap<object, PassedRule>();

/** Lists of requests and conditions are new objects every time, but mostly with the same content. */
const costsByText = new WeakMap<CompiledRule, TextCostCache>();

/**
 * The cost of a rule that already passed for this value, or for one with the same text; undefined otherwise. Transition
 * rules are cached only for unchanged values.
 */
export function cachedRuleCost(rule: CompiledRule, at: RuleValue): number | undefined {
  if (!isCacheable(rule, at)) return undefined;
  let passed = passedBy.get(at.self);
  while (passed !== undefined && passed.rule !== rule) passed = passed.next;
  return passed === undefined ? costByText(rule, at) : passed.cost;
}

export function cacheRuleCost(rule: CompiledRule, at: RuleValue, cost: number): void {
  if (!isCacheable(rule, at)) return;
  cacheByValue(rule, at, cost);
  textsOf(rule, at)?.add(writeJson(at.self), cost);
}

function costByText(rule: CompiledRule, at: Cacheable): number | undefined {
  const cost = textsOf(rule, at)?.costOf(writeJson(at.self));
  if (cost !== undefined) cacheByValue(rule, at, cost);
  return cost;
}

function cacheByValue(rule: CompiledRule, { self }: Cacheable, cost: number): void {
  passedBy.set(self, { rule, cost, next: passedBy.get(self) });
}

/** Undefined for rules whose results the text does not determine. */
function textsOf(rule: CompiledRule, { compiled }: Cacheable): TextCostCache | undefined {
  const cached = costsByText.get(rule);
  if (cached !== undefined) return cached.isUseful ? cached : undefined;
  if (!isCacheableByText(rule, compiled)) return undefined;
  const texts = new TextCostCache();
  costsByText.set(rule, texts);
  return texts;
}

function isCacheableByText({ usesOldSelf }: CompiledRule, compiled: CompiledSchema): boolean {
  return !usesOldSelf && isDeterminedByText(compiled);
}

type Cacheable = RuleValue & { readonly self: JsonValue & object };

function isCacheable({ usesOldSelf }: CompiledRule, at: RuleValue): at is Cacheable {
  return typeof at.self === "object" && at.self !== null && (!usesOldSelf || at.self === at.oldSelf);
}
