import { childPath, type FieldIssue, forbidden, invalid, itemPath, required } from "../../../protocol/field-issue.ts";
import { quote } from "../../../protocol/go-quote.ts";
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from "../../../protocol/json-value.ts";
import type { CompiledSchema } from "../../../schema/compiled-schema.ts";
import { Correlation } from "../../../schema/correlation.ts";
import type { ValidationRule } from "../../../schema/structural-schema.ts";
import type { CompiledRule, RuleTable } from "./compiled-rules.ts";
import { costOfHolding, noteHolding } from "./held-rules.ts";
import { type Bound, bindingsFor, type RuleValue } from "./rule-bindings.ts";
import { failedMessage } from "./rule-message.ts";

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
  const current = old === undefined || !isRatcheting ? undefined : new Correlation(root, value, old);
  evaluation.visit({ compiled: root, self: value, oldSelf: old, path: base, current, nearest: undefined });
  return evaluation;
}

/** A value on the way through the object. */
interface Visited extends RuleValue {
  readonly path: string;
  /** The value with the one before it, when they can be matched up; and the nearest one above that could. */
  readonly current: Correlation | undefined;
  readonly nearest: Correlation | undefined;
}

class Evaluation implements RuleFindings {
  readonly issues: FieldIssue[] = [];
  readonly warnings: FieldIssue[] = [];
  readonly #table: RuleTable;
  #budget = objectBudget;

  constructor(table: RuleTable) {
    this.#table = table;
  }

  visit(at: Visited): void {
    if (at.self === null || !at.compiled.hasRules || this.#isSpent()) return;
    this.#applyRules(at);
    if (Array.isArray(at.self)) this.#visitItems(at, at.self);
    else if (isJsonObject(at.self)) this.#visitFields(at, at.self);
  }

  #visitItems(at: Visited, items: readonly JsonValue[]): void {
    const { compiled, oldSelf, path } = at;
    if (compiled.items?.hasRules !== true) return;
    const matching = oldSelf === undefined ? undefined : new Correlation(compiled, at.self, oldSelf);
    for (let index = 0; index < items.length && !this.#isSpent(); index += 1) {
      const self = items[index] as JsonValue;
      const { current, nearest } = below(at, (above) => above.item(index));
      this.visit({
        current,
        nearest,
        compiled: compiled.items,
        self,
        oldSelf: matching?.oldItem(self),
        path: itemPath(path, index),
      });
    }
  }

  #visitFields(at: Visited, object: JsonObject): void {
    const { compiled, oldSelf, path } = at;
    const old = isJsonObject(oldSelf) ? oldSelf : undefined;
    for (const name of Object.keys(object)) {
      const property = compiled.properties.get(name);
      const child = property ?? compiled.additional;
      if (child === undefined || child === true || !child.hasRules || this.#isSpent()) continue;
      const { current, nearest } = isHeadField(at, name) ? unmatched : below(at, (above) => above.field(name));
      this.visit({
        current,
        nearest,
        compiled: child,
        self: object[name] as JsonValue,
        oldSelf: old === undefined ? undefined : ownValue(old, name),
        path: property === undefined ? itemPath(path, name) : childPath(path, name),
      });
    }
  }

  #applyRules(at: Visited): void {
    const rules = this.#table.get(at.compiled);
    if (rules === undefined) return;
    if (this.#budget <= 0) {
      this.#stop(at, outOfBudget);
      return;
    }
    let bound: Bound | undefined;
    for (const rule of rules) {
      if (this.#isSpent()) return;
      if (rule.fault !== undefined) {
        this.#blame(at, `rule compile error: ${rule.fault}`);
      } else if (!this.#isKnownToHold(rule, at)) {
        bound ??= bindingsFor(at);
        this.#applyRule(rule, at, bound);
      }
    }
  }

  /** Costs what it cost when it was seen; whoever cannot pay that looks again, and is told. */
  #isKnownToHold(rule: CompiledRule, at: Visited): boolean {
    const cost = costOfHolding(rule, at);
    return cost !== undefined && this.#spend(cost);
  }

  #applyRule(compiled: CompiledRule, at: Visited, bound: Bound): void {
    const { program, rule, usesOldSelf } = compiled;
    const isOptional = rule.optionalOldSelf === true;
    if (program === undefined || (usesOldSelf && !bound.hasOld && !isOptional)) return;
    const bindings = isOptional ? bound.optional : bound.plain;
    const result = program.evaluate(bindings, { costLimit: ruleBudget });
    if (!this.#spend(result.cost)) this.#stop(at, outOfBudget);
    else if (!result.ok) this.#reportError(rule, result.error.message, at);
    else if (!result.value) this.#reportBroken(compiled, at, bindings);
    else noteHolding(compiled, at, result.cost);
  }

  #reportError(rule: ValidationRule, error: string, at: Visited): void {
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

  #reportBroken(compiled: CompiledRule, at: Visited, bindings: Bound["plain"]): void {
    const { rule, fieldPath, usesOldSelf } = compiled;
    const path = fieldPath === "" ? at.path : childPath(at.path, fieldPath);
    const findings = !usesOldSelf && isUnchanged(at) ? this.warnings : this.issues;
    const message = failedMessage(compiled, bindings, this.#budget);
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

  #isSpent(): boolean {
    return this.#budget < 0;
  }

  #stop(at: Visited, fault: string): void {
    this.#blame(at, fault);
    this.#budget = -1;
  }

  #blame(at: Visited, fault: string): void {
    this.issues.push(invalid(shown(at.path), typeText(at), fault));
  }
}

const unmatched = { current: undefined, nearest: undefined };

function below(
  { current, nearest }: Visited,
  step: (current: Correlation) => Correlation | undefined,
): Pick<Visited, "current" | "nearest"> {
  return current === undefined ? { current, nearest } : { current: step(current), nearest: current };
}

/** Of the object itself, what apiVersion and kind were before cannot be told: both states are shown in one version. */
function isHeadField({ current, nearest }: Visited, name: string): boolean {
  return current !== undefined && nearest === undefined && (name === "apiVersion" || name === "kind");
}

/** What nobody touched may stay as it is, though it breaks a rule that came later. */
function isUnchanged({ current, nearest }: Visited): boolean {
  return (current ?? nearest)?.isUnchanged === true;
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
function typeText({ compiled }: Visited): string {
  return compiled.schema.type ?? "";
}

/** What a rule is called by: what it says to people, or else its text. */
function ruleName({ rule, message = "" }: ValidationRule): string {
  return (message === "" ? rule : message).trim();
}
