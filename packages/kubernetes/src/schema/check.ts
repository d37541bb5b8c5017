import { childPath, type FieldIssue, invalid, issueText, required } from "../protocol/field-issue.ts";
import { quote } from "../protocol/go-quote.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../protocol/json-value.ts";
import type { CompiledSchema, Junctors } from "./compiled-schema.ts";
import { Correlation } from "./correlation.ts";
import {
  enumIssues,
  type FieldLocation,
  itemCountIssues,
  numberIssues,
  propertyCountIssues,
  stringIssues,
  typeIssue,
} from "./value-checks.ts";

export interface CheckOptions {
  /** The path of the value; paths in messages start at the value. */
  readonly base?: string;
  /** The value before an update: unchanged parts are not checked again. */
  readonly old?: JsonValue;
}

/** Kubernetes' text for an issue without a field. */
const noField = "<nil>";

/** Validates a value by a schema, with the messages and the order of Kubernetes. Does not default or prune. */
export function schemaIssues(
  compiled: CompiledSchema,
  value: JsonValue,
  { base = "", old }: CheckOptions = {},
): readonly FieldIssue[] {
  const correlation = old === undefined ? undefined : new Correlation(compiled, value, old);
  const issues = new Check(base).run(compiled, value, correlation);
  if (issues.length === 0 || correlation?.isUnchanged === true) return [];
  return issues.length === 1 ? issues : [...new Map(issues.map((issue) => [issueText(issue), issue])).values()];
}

/** Not compared with the old value. */
const typeFields = new Set(["apiVersion", "kind"]);

class Check implements FieldLocation {
  readonly #base: string;
  readonly #path: (string | number)[] = [];
  #issues: FieldIssue[] = [];
  /** Number of passed checks; of the branches of a junctor, the one with the most is reported. */
  #matches = 0;

  constructor(base: string) {
    this.#base = base;
  }

  run(compiled: CompiledSchema, value: JsonValue, correlation: Correlation | undefined): readonly FieldIssue[] {
    this.#visit(compiled, value, correlation);
    return this.#issues;
  }

  #visit(compiled: CompiledSchema, value: JsonValue, correlation: Correlation | undefined): void {
    this.#checkType(compiled, value);
    if (value === null) {
      this.#report(enumIssues(compiled, value, this));
      return;
    }
    if (compiled.junctors !== undefined) this.#checkJunctors(compiled.junctors, value);
    this.#matches += 2;
    this.#checkContent(compiled, value, correlation);
    this.#report(enumIssues(compiled, value, this));
    this.#matches += 2;
    if (isJsonObject(value)) this.#visitObject(compiled, value, correlation);
  }

  #checkType(compiled: CompiledSchema, value: JsonValue): void {
    const { schema, format } = compiled;
    if (schema.type === undefined && schema["x-kubernetes-int-or-string"] !== true && format === undefined) return;
    const issue = typeIssue(compiled, value, this);
    if (issue === undefined) this.#matches += 1;
    else this.#issues.push(issue);
    if (value !== null) this.#matches += 1;
  }

  #checkContent(compiled: CompiledSchema, value: JsonValue, correlation: Correlation | undefined): void {
    switch (typeof value) {
      case "string":
        this.#report(stringIssues(compiled, value, this));
        this.#matches += compiled.format === undefined ? 1 : 2;
        return;
      case "number":
      case "bigint":
        this.#report(numberIssues(compiled, value, this));
        this.#matches += 2;
        return;
      default:
        if (Array.isArray(value)) this.#visitArray(compiled, value, correlation);
    }
  }

  #visitArray(compiled: CompiledSchema, items: readonly JsonValue[], correlation: Correlation | undefined): void {
    const { items: itemSchema } = compiled;
    if (itemSchema !== undefined) {
      for (let index = 0; index < items.length; index += 1) {
        this.#visitChild(index, itemSchema, items[index] as JsonValue, correlation?.item(index));
      }
    }
    this.#report(itemCountIssues(compiled, items.length, this));
    this.#matches += 2;
  }

  #visitObject(compiled: CompiledSchema, object: JsonObject, correlation: Correlation | undefined): void {
    const names = Object.keys(object);
    this.#report(propertyCountIssues(compiled, names.length, this));
    if (compiled.schema.additionalProperties === false) this.#checkForbidden(compiled, names);
    for (const name of names) {
      const child = compiled.properties.get(name) ?? compiled.additional;
      if (child === undefined || child === true) continue;
      const isTypeField = this.#path.length === 0 && typeFields.has(name);
      this.#visitChild(name, child, object[name] as JsonValue, isTypeField ? undefined : correlation?.field(name));
    }
    for (const name of compiled.required) {
      if (!Object.hasOwn(object, name)) this.#at(name, () => this.#issues.push(required(this.fieldText())));
    }
    this.#matches += 1;
  }

  #checkForbidden(compiled: CompiledSchema, names: readonly string[]): void {
    for (const name of names.filter((one) => !compiled.properties.has(one))) {
      const detail = `${this.pathText()}.${name} in body is a forbidden property`;
      this.#issues.push(invalid(this.fieldText(), name, detail));
    }
  }

  /** Issues in unchanged parts are tolerated. */
  #visitChild(
    step: string | number,
    compiled: CompiledSchema,
    value: JsonValue,
    correlation: Correlation | undefined,
  ): void {
    const before = this.#issues.length;
    this.#path.push(step);
    this.#visit(compiled, value, correlation);
    this.#path.pop();
    if (this.#issues.length > before && correlation?.isUnchanged === true) this.#issues.length = before;
  }

  #checkJunctors({ allOf, anyOf, oneOf, not }: Junctors, value: JsonValue): void {
    if (anyOf.length > 0) this.#checkAnyOf(anyOf, value);
    if (oneOf.length > 0) this.#checkOneOf(oneOf, value);
    if (allOf.length > 0) this.#checkAllOf(allOf, value);
    if (not !== undefined && this.#try(not, value).issues.length === 0)
      this.#fail("must not validate the schema (not)");
  }

  #checkAnyOf(branches: readonly CompiledSchema[], value: JsonValue): void {
    let best: Trial | undefined;
    for (const branch of branches) {
      const trial = this.#try(branch, value);
      if (trial.issues.length === 0) {
        this.#merge(trial);
        return;
      }
      if (best === undefined || trial.matches > best.matches) best = trial;
    }
    this.#fail("must validate at least one schema (anyOf)");
    if (best !== undefined) this.#merge(best);
  }

  #checkOneOf(branches: readonly CompiledSchema[], value: JsonValue): void {
    const trials = branches.map((branch) => this.#try(branch, value));
    const fitting = trials.filter(({ issues }) => issues.length === 0);
    const [first] = fitting;
    if (first !== undefined && fitting.length === 1) {
      this.#merge(first);
      return;
    }
    const found = fitting.length === 0 ? "Found none valid" : `Found ${fitting.length} valid alternatives`;
    this.#fail(`must validate one and only one schema (oneOf). ${found}`);
    if (fitting.length === 0) this.#merge(trials.reduce((best, one) => (one.matches > best.matches ? one : best)));
  }

  #checkAllOf(branches: readonly CompiledSchema[], value: JsonValue): void {
    const trials = branches.map((branch) => this.#try(branch, value));
    for (const trial of trials) this.#merge(trial);
    const fitting = trials.filter(({ issues }) => issues.length === 0).length;
    if (fitting < trials.length) {
      this.#fail(`must validate all the schemas (allOf)${fitting === 0 ? ". None validated" : ""}`);
    }
  }

  /** Checks a branch separately. Unchanged parts of it are checked as well. */
  #try(schema: CompiledSchema, value: JsonValue): Trial {
    const [issues, matches] = [this.#issues, this.#matches];
    this.#issues = [];
    this.#matches = 0;
    this.#visit(schema, value, undefined);
    const trial = { issues: this.#issues, matches: this.#matches };
    this.#issues = issues;
    this.#matches = matches;
    return trial;
  }

  #merge({ issues, matches }: Trial): void {
    this.#report(issues);
    this.#matches += matches;
  }

  #report(issues: readonly FieldIssue[]): void {
    for (const issue of issues) this.#issues.push(issue);
  }

  /** Issues of junctors have no field; their message names it. */
  #fail(fault: string): void {
    this.#issues.push(invalid(this.#base === "" ? noField : this.#base, "", `${quote(this.pathText())} ${fault}`));
  }

  #at(step: string | number, visit: () => void): void {
    this.#path.push(step);
    visit();
    this.#path.pop();
  }

  fieldText(): string {
    const path = this.pathText();
    if (path === "") return this.#base === "" ? noField : this.#base;
    return childPath(this.#base, path);
  }

  pathText(): string {
    let text = "";
    for (const step of this.#path) {
      if (typeof step === "number") text += `[${step}]`;
      else text += text === "" ? step : `.${step}`;
    }
    return text;
  }
}

/** The result of one branch of a junctor. */
interface Trial {
  readonly issues: FieldIssue[];
  readonly matches: number;
}
