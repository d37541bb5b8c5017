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
import { PositionBindings } from "./rule-bindings.ts";
import { failedMessage } from "./rule-message.ts";
import { RulePosition } from "./rule-position.ts";
import { cachedRuleCost, cacheRuleCost } from "./rule-result-cache.ts";

/** Cost budget of all rules for one object, in Kubernetes' units. */
const objectBudget = 10_000_000;
/** Cost budget of one rule. */
const ruleBudget = 1_000_000;

const outOfBudget = "validation failed due to running out of cost budget, no further validation rules will be run";

export interface RuleFindings {
  readonly issues: readonly FieldIssue[];
  /** Issues in unchanged parts, which are tolerated with a warning. */
  readonly warnings: readonly FieldIssue[];
}

export interface RuleInput {
  readonly value: JsonValue;
  /** The value before an update. */
  readonly old?: JsonValue | undefined;
  /** The path of the value. */
  readonly base?: string;
  /** Whether unchanged invalid parts are tolerated. */
  readonly isRatcheting?: boolean;
}

/** Evaluates all rules of a schema wherever they apply in the value. */
export function evaluateRules(root: CompiledSchema, table: RuleTable, subject: RuleInput): RuleFindings {
  const evaluation = new Evaluation(table);
  const { value, old, base = "", isRatcheting = true } = subject;
  evaluation.visit(RulePosition.at({ compiled: root, self: value, oldSelf: old, path: base, isRatcheting }));
  return evaluation;
}

class Evaluation implements RuleFindings {
  readonly issues: FieldIssue[] = [];
  readonly warnings: FieldIssue[] = [];
  readonly #table: RuleTable;
  /** Below 0 it is exhausted, and no further rule is evaluated. */
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
    let bound: PositionBindings | undefined;
    for (const rule of rules) {
      if (this.#budget < 0) return;
      if (rule.fault !== undefined) {
        this.#addIssue(at, `rule compile error: ${rule.fault}`);
      } else if (!this.#isCachedAsPassed(rule, at)) {
        bound ??= new PositionBindings(at);
        this.#applyRule(rule, at, bound);
      }
    }
  }

  /**
   * A cached result is charged its original cost; if the budget does not suffice, the rule is evaluated to get the
   * error.
   */
  #isCachedAsPassed(rule: CompiledRule, at: RulePosition): boolean {
    const cost = cachedRuleCost(rule, at);
    return cost !== undefined && this.#spend(cost);
  }

  #applyRule(compiled: CompiledRule, at: RulePosition, bound: PositionBindings): void {
    const { program, rule, usesOldSelf } = compiled;
    const isOptional = rule.optionalOldSelf === true;
    if (program === undefined || (usesOldSelf && !bound.hasOld && !isOptional)) return;
    const result = program.evaluate(bound.ofRule(compiled), { costLimit: ruleBudget });
    if (!this.#spend(result.cost)) this.#stop(at, outOfBudget);
    else if (!result.ok) this.#reportError(rule, result.error.message, at);
    else if (!result.value) this.#reportFailed(compiled, at, bound);
    else cacheRuleCost(compiled, at, result.cost);
  }

  #reportError(rule: ValidationRule, error: string, at: RulePosition): void {
    const name = ruleName(rule);
    if (error.startsWith("no such overload")) {
      const fault = "call arguments did not match a supported operator, function or macro signature for rule";
      this.#addIssue(at, `'${error}': ${fault}: ${name}`);
    } else if (error.startsWith("operation cancelled: actual cost limit exceeded")) {
      const fault = "no further validation rules will be run due to call cost exceeds limit for rule";
      this.#stop(at, `'${error}': ${fault}: ${name}`);
    } else {
      this.#addIssue(at, `${error} evaluating rule: ${name}`);
    }
  }

  #reportFailed(compiled: CompiledRule, at: RulePosition, bound: PositionBindings): void {
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
    findings.push(failedRuleIssue(rule, shown(path), typeText(at), detail));
  }

  #spend(cost: number): boolean {
    if (cost > this.#budget) return false;
    this.#budget -= cost;
    return true;
  }

  #stop(at: RulePosition, fault: string): void {
    this.#addIssue(at, fault);
    this.#budget = -1;
  }

  #addIssue(at: RulePosition, fault: string): void {
    this.issues.push(invalid(shown(at.path), typeText(at), fault));
  }
}

function failedRuleIssue(rule: ValidationRule, path: string, type: string, detail: string): FieldIssue {
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

/** Rules at the root report no field. */
function shown(path: string): string {
  return path === "" ? "<nil>" : path;
}

/** Values may be long, so messages name their type. */
function typeText({ compiled }: RulePosition): string {
  return compiled.schema.type ?? "";
}

/** The name of a rule in messages: its message, or else its expression. */
function ruleName({ rule, message = "" }: ValidationRule): string {
  return (message === "" ? rule : message).trim();
}
