import { quote } from "../go-quote.ts";
import { labelValue, qualifiedName } from "../names.ts";
import { canonical, integerOf, type LabelRequirement, type LabelRequirements } from "./label-selector.ts";

export type SelectorResult<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly message: string };

/** `env=prod,tier in (a,b),!legacy,cores>4`, as sent by `kubectl get -l`. Errors are those of Kubernetes. */
export function parseSelectorText(text: string): SelectorResult<LabelRequirements> {
  try {
    return { ok: true, value: canonical(new SelectorReader(text).read()) };
  } catch (error) {
    if (error instanceof SelectorSyntaxError) return { ok: false, message: error.message };
    throw error;
  }
}

class SelectorSyntaxError extends Error {}

type Token = { readonly kind: "symbol" | "word" | "end"; readonly text: string };

const end: Token = { kind: "end", text: "" };
const binaryOperators = "in, notin, =, ==, !=, gt, lt";

class SelectorReader {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(text: string) {
    this.#tokens = scan(text);
  }

  read(): LabelRequirement[] {
    const requirements: LabelRequirement[] = [];
    if (this.#peek().kind === "end") return requirements;
    if (!this.#startsRequirement()) this.#fail("!, identifier, or 'end of string'");
    for (;;) {
      requirements.push(this.#requirement());
      if (this.#peek().kind === "end") return requirements;
      if (!this.#accept(",")) this.#fail("',' or 'end of string'");
      if (!this.#startsRequirement()) this.#fail("identifier after ','");
    }
  }

  #startsRequirement(): boolean {
    const token = this.#peek();
    return token.kind === "word" || token.text === "!";
  }

  #requirement(): LabelRequirement {
    const absent = this.#accept("!");
    const key = this.#word("identifier");
    checkKey(key);
    if (absent) return { key, operator: "DoesNotExist", values: [] };
    if (this.#peek().kind === "end" || this.#peek().text === ",") return { key, operator: "Exists", values: [] };
    const requirement = this.#comparison(key);
    for (const [index, value] of requirement.values.entries()) checkValue(key, value, index);
    return requirement;
  }

  #comparison(key: string): LabelRequirement {
    const operator = this.#next().text;
    switch (operator) {
      case "=":
      case "==":
        return { key, operator: "In", values: [this.#value()] };
      case "!=":
        return { key, operator: "NotIn", values: [this.#value()] };
      case "in":
        return { key, operator: "In", values: this.#values() };
      case "notin":
        return { key, operator: "NotIn", values: this.#values() };
      case ">":
        return { key, operator: "Gt", values: [this.#integer()] };
      case "<":
        return { key, operator: "Lt", values: [this.#integer()] };
      default:
        throw new SelectorSyntaxError(`unable to parse requirement: found '${operator}', expected: ${binaryOperators}`);
    }
  }

  /** An exact value may be empty: `env=` matches the empty string. */
  #value(): string {
    const token = this.#peek();
    return token.kind === "end" || token.text === "," ? "" : this.#word("identifier");
  }

  #integer(): string {
    const value = this.#value();
    if (integerOf(value) === undefined) {
      const detail = "for 'Gt', 'Lt' operators, the value must be an integer";
      throw new SelectorSyntaxError(
        `unable to parse requirement: values[0]: Invalid value: ${quote(value)}: ${detail}`,
      );
    }
    return value;
  }

  /** `(a,,b)` contains the empty string, and `()` only the empty string. */
  #values(): string[] {
    if (!this.#accept("(")) this.#failRequirement("'('");
    if (this.#peek().kind === "end") this.#failRequirement("',', ')' or identifier");
    const values: string[] = [];
    for (;;) {
      values.push(this.#peek().kind === "word" ? this.#next().text : "");
      if (this.#accept(")")) return values;
      if (!this.#accept(",")) this.#failRequirement("',' or ')'");
    }
  }

  #word(expected: string): string {
    const token = this.#next();
    if (token.kind === "word") return token.text;
    throw new SelectorSyntaxError(`unable to parse requirement: found '${token.text}', expected: ${expected}`);
  }

  #peek(): Token {
    return this.#tokens[this.#at] ?? end;
  }

  #next(): Token {
    const token = this.#peek();
    this.#at += 1;
    return token;
  }

  #accept(symbol: string): boolean {
    const token = this.#peek();
    if (token.kind !== "symbol" || token.text !== symbol) return false;
    this.#at += 1;
    return true;
  }

  #fail(expected: string): never {
    throw new SelectorSyntaxError(`found '${this.#peek().text}', expected: ${expected}`);
  }

  #failRequirement(expected: string): never {
    throw new SelectorSyntaxError(`unable to parse requirement: found '${this.#peek().text}', expected: ${expected}`);
  }
}

function scan(text: string): Token[] {
  const tokens: Token[] = [];
  for (const [token] of text.matchAll(/==|!=|[=!<>(),]|[^\s=!<>(),]+/g)) {
    tokens.push({ kind: /^[=!<>(),]/.test(token) ? "symbol" : "word", text: token });
  }
  return tokens;
}

function checkKey(key: string): void {
  const issues = qualifiedName(key);
  if (issues.length === 0) return;
  throw new SelectorSyntaxError(
    `unable to parse requirement: <nil>: Invalid value: ${quote(key)}: ${issues.join("; ")}`,
  );
}

function checkValue(key: string, value: string, index: number): void {
  const issues = labelValue(value);
  if (issues.length === 0) return;
  const detail = `Invalid value: ${quote(value)}: ${issues.join("; ")}`;
  throw new SelectorSyntaxError(`unable to parse requirement: values[${index}][${key}]: ${detail}`);
}
