import {
  childPath,
  type FieldIssue,
  forbidden,
  invalid,
  required,
} from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { quote } from "@milo-quota/kubernetes/protocol/go-quote.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { CompiledSchema } from "@milo-quota/kubernetes/schema/compiled-schema.ts";
import type { ValidationRule } from "@milo-quota/kubernetes/schema/structural-schema.ts";
import type { CompiledRule, RuleTable } from "./compiled-rules.ts";
import { Bound } from "./rule-bindings.ts";
import { failedMessage } from "./rule-message.ts";
import { RulePosition } from "./rule-position.ts";
import { cachedRuleCost, cacheRuleCost } from "./rule-result-cache.ts";

/** What all rules of one object may spend together, in the units Kubernetes uses. */
const objectBudget = 10_000_000;
/** What one rule may spend. */
const ruleBudget = 1_000_000;

const outOfBudget = "validation failed due to running out of cost budget, no further validation rules will be run";

export interface RuleFindings {
  readonly issues: readonly FieldIssue[];
  /** What is broken already and was not touched: told, not refused. */
  readonly warnings: readonly FieldIssue[];
}

export interface RuleSubject {
  readonly value: JsonValue;
  /** What stood there before an update. */
  readonly old?: JsonValue | undefined;
  /** The field the value stands in. */
  readonly base?: string;
  /** Whether what is unchanged is held against the client. */
  readonly isRatcheting?: boolean;
}

/** Evaluates every rule of a schema wherever in the value it applies. */
export function evaluateRules(root: CompiledSchema, table: RuleTable, subject: RuleSubject): RuleFindings {
  const evaluation = new Evaluation(table);
  const { value, old, base = "", isRatcheting = true } = subject;
  evaluation.visit(RulePosition.at({ compiled: root, self: value, oldSelf: old, path: base, isRatcheting }));
  return evaluation;
}

class Evaluation implements RuleFindings {
  readonly issues: FieldIssue[] = [];
  readonly warnings: FieldIssue[] = [];
  readonly #table: RuleTable;
  /** Below 0 it is spent, and no further rule is evaluated. */
  #budget = objectBudget;

  constructor(table: RuleTable) {
    this.#table = table;
  }

  visit(at: RulePosition): void {
    if (at.self === null || !at.compiled.hasRules || this.#budget < 0) return;
    this.#applyRules(at);
    if (Array.isArray(at.self)) this.#visitItems(at, at.self);
    else if (isJsonObject(at.self)) this.#visitFields(at, at.self);
  }

  #visitItems(at: RulePosition, items: readonly JsonValue[]): void {
    const { items: compiled } = at.compiled;
    if (compiled?.hasRules !== true) return;
    for (let index = 0; index < items.length && this.#budget >= 0; index += 1) {
      this.visit(at.item(index, compiled, items[index] as JsonValue));
    }
  }

  #visitFields(at: RulePosition, object: JsonObject): void {
    const { properties, additional } = at.compiled;
    for (const name of Object.keys(object)) {
      const child = properties.get(name) ?? additional;
      if (child === undefined || child === true || !child.hasRules || this.#budget < 0) continue;
      this.visit(at.field(name, child, object[name] as JsonValue));
    }
  }

  #applyRules(at: RulePosition): void {
    const rules = this.#table.get(at.compiled);
    if (rules === undefined) return;
    if (this.#budget <= 0) {
      this.#stop(at, outOfBudget);
      return;
    }
    let bound: Bound | undefined;
    for (const rule of rules) {
      if (this.#budget < 0) return;
      if (rule.fault !== undefined) {
        this.#blame(at, `rule compile error: ${rule.fault}`);
      } else if (!this.#isKnownToHold(rule, at)) {
        bound ??= new Bound(at);
        this.#applyRule(rule, at, bound);
      }
    }
  }

  /** Costs what it cost when it was seen; whoever cannot pay that looks again, and is told. */
  #isKnownToHold(rule: CompiledRule, at: RulePosition): boolean {
    const cost = cachedRuleCost(rule, at);
    return cost !== undefined && this.#spend(cost);
  }

  #applyRule(compiled: CompiledRule, at: RulePosition, bound: Bound): void {
    const { program, rule, usesOldSelf } = compiled;
    const isOptional = rule.optionalOldSelf === true;
    if (program === undefined || (usesOldSelf && !bound.hasOld && !isOptional)) return;
    const result = program.evaluate(bound.ofRule(compiled), { costLimit: ruleBudget });
    if (!this.#spend(result.cost)) this.#stop(at, outOfBudget);
    else if (!result.ok) this.#reportError(rule, result.error.message, at);
    else if (!result.value) this.#reportBroken(compiled, at, bound);
    else cacheRuleCost(compiled, at, result.cost);
  }

  #reportError(rule: ValidationRule, error: string, at: RulePosition): void {
    const name = ruleName(rule);
    if (error.startsWith("no such overload")) {
      const fault = "call arguments did not match a supported operator, function or macro signature for rule";
      this.#blame(at, `'${error}': ${fault}: ${name}`);
    } else if (error.startsWith("operation cancelled: actual cost limit exceeded")) {
      const fault = "no further validation rules will be run due to call cost exceeds limit for rule";
      this.#stop(at, `'${error}': ${fault}: ${name}`);
    } else {
      this.#blame(at, `${error} evaluating rule: ${name}`);
    }
  }

  #reportBroken(compiled: CompiledRule, at: RulePosition, bound: Bound): void {
    const { rule, fieldPath, usesOldSelf } = compiled;
    const path = fieldPath === "" ? at.path : childPath(at.path, fieldPath);
    const findings = !usesOldSelf && at.isUnchanged ? this.warnings : this.issues;
    const message = failedMessage(compiled, bound.ofMessage(compiled), this.#budget);
    if (message.outcome === "spent") {
      findings.push(invalid(shown(path), typeText(at), message.fault));
      this.#budget = -1;
      return;
    }
    this.#budget -= message.cost;
    const detail = message.text ?? (rule.message ? rule.message.trim() : `failed rule: ${ruleName(rule)}`);
    findings.push(brokenRule(rule, shown(path), typeText(at), detail));
  }

  #spend(cost: number): boolean {
    if (cost > this.#budget) return false;
    this.#budget -= cost;
    return true;
  }

  #stop(at: RulePosition, fault: string): void {
    this.#blame(at, fault);
    this.#budget = -1;
  }

  #blame(at: RulePosition, fault: string): void {
    this.issues.push(invalid(shown(at.path), typeText(at), fault));
  }
}

function brokenRule(rule: ValidationRule, path: string, type: string, detail: string): FieldIssue {
  switch (rule.reason) {
    case "FieldValueForbidden":
      return forbidden(path, detail);
    case "FieldValueRequired":
      return required(path, detail);
    case "FieldValueDuplicate":
      return { type: "FieldValueDuplicate", field: path, message: `Duplicate value: ${quote(type)}` };
    default:
      return invalid(path, type, detail);
  }
}

/** Rules that stand at the object itself blame no field. */
function shown(path: string): string {
  return path === "" ? "<nil>" : path;
}

/** Values may be long; their type says what was looked at. */
function typeText({ compiled }: RulePosition): string {
  return compiled.schema.type ?? "";
}

/** What a rule is called by: what it says to people, or else its text. */
function ruleName({ rule, message = "" }: ValidationRule): string {
  return (message === "" ? rule : message).trim();
}
