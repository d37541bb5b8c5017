import { defaultLimits, type Limits } from "../limits.ts";
import { isInt64, isUint64 } from "../values/numbers/int64.ts";
import { textLength } from "../values/text.ts";
import { Uint, type Value } from "../values/value.ts";
import { type Expression, type MapLiteralEntry, type MessageField, qualifiedName } from "./ast.ts";
import { childrenOf } from "./children.ts";
import { nextToken } from "./lexer.ts";
import { reservedWords, type Token } from "./lexer-token.ts";
import { type Macro, macroKey, type WithoutDepth } from "./macro.ts";
import { binaryOperators } from "./operators.ts";
import { type Finding, SyntaxStop } from "./syntax-issue.ts";

export interface ParseOptions {
  /** By `macroKey`. */
  readonly macros: ReadonlyMap<string, Macro>;
  readonly limits?: Limits;
}

export type Parsed =
  | { readonly ok: true; readonly expression: Expression }
  | { readonly ok: false; readonly findings: readonly Finding[] };

export function parse(source: string, { macros, limits = defaultLimits }: ParseOptions): Parsed {
  const length = textLength(source);
  if (length > limits.length) {
    const message = `expression code point size exceeds limit: size: ${length}, limit ${limits.length}`;
    return { ok: false, findings: [{ message, offset: 0 }] };
  }
  return new Parser(source, macros, limits.depth).parse();
}

class Parser {
  readonly #source: string;
  readonly #macros: ReadonlyMap<string, Macro>;
  readonly #depthMax: number;
  readonly #findings: Finding[] = [];
  #token: Token;
  #nesting = 0;

  constructor(source: string, macros: ReadonlyMap<string, Macro>, depthMax: number) {
    this.#source = source;
    this.#macros = macros;
    this.#depthMax = depthMax;
    this.#token = { kind: "end", text: "", offset: 0 };
  }

  parse(): Parsed {
    try {
      this.#advance();
      const expression = this.#expression();
      if (this.#token.kind !== "end") this.#stop(`extraneous input '${shown(this.#token)}' expecting <EOF>`);
      return this.#findings.length === 0 ? { ok: true, expression } : { ok: false, findings: this.#findings };
    } catch (error) {
      if (!(error instanceof SyntaxStop)) throw error;
      return { ok: false, findings: [...this.#findings, error.finding] };
    }
  }

  #expression(): Expression {
    this.#nesting += 1;
    if (this.#nesting > this.#depthMax) this.#tooDeep(this.#token.offset);
    const condition = this.#or();
    const result = this.#at("?") ? this.#conditional(condition) : condition;
    this.#nesting -= 1;
    return result;
  }

  #conditional(condition: Expression): Expression {
    const { offset } = this.#advance();
    const whenTrue = this.#or();
    this.#expect(":");
    return this.#operator("_?_:_", offset, [condition, whenTrue, this.#expression()]);
  }

  #or(): Expression {
    return this.#chain("||", () => this.#chain("&&", () => this.#binary(1)));
  }

  #chain(operator: "&&" | "||", next: () => Expression): Expression {
    const first = next();
    if (!this.#at(operator)) return first;
    const { offset } = this.#token;
    const terms = [first];
    while (this.#take(operator)) terms.push(next());
    return this.#node({ kind: "logical", operator, terms, offset });
  }

  /** Operators of this precedence or higher, left-associative. */
  #binary(level: number): Expression {
    let left = this.#unary();
    for (;;) {
      const operator = this.#token.kind === "symbol" ? binaryOperators.get(this.#token.text) : undefined;
      if (operator === undefined || operator.level < level) return left;
      const { offset } = this.#advance();
      left = this.#operator(operator.name, offset, [left, this.#binary(operator.level + 1)]);
    }
  }

  #unary(): Expression {
    const mark = this.#at("!") ? "!" : this.#at("-") ? "-" : undefined;
    if (mark === undefined) return this.#member(this.#primary());
    const { offset } = this.#token;
    let count = 0;
    while (this.#take(mark)) count += 1;
    // One minus before a number is part of it: the smallest int has no positive counterpart.
    if (mark === "-" && count === 1 && this.#atNumber()) return this.#member(this.#number(offset));
    const operand = this.#member(this.#primary());
    return count % 2 === 0 ? operand : this.#operator(`${mark}_`, offset, [operand]);
  }

  #atNumber(): boolean {
    return this.#token.kind === "int" || this.#token.kind === "double";
  }

  /** Selections, calls and indexes after a primary expression. */
  #member(primary: Expression): Expression {
    let operand = primary;
    for (;;) {
      if (this.#at(".")) operand = this.#selection(operand);
      else if (this.#at("[")) operand = this.#index(operand);
      else if (this.#at("{") && qualifiedName(operand) !== undefined) operand = this.#message(operand);
      else return operand;
    }
  }

  #selection(operand: Expression): Expression {
    const { offset } = this.#advance();
    const optional = this.#take("?");
    const name = this.#token;
    const field = this.#fieldName();
    if (this.#at("(") && name.kind === "name" && !optional) return this.#call(field, operand);
    return this.#node({ kind: "select", operand, field, optional, offset });
  }

  #fieldName(): string {
    if (this.#token.kind !== "name" && this.#token.kind !== "quoted-name") this.#mismatch("IDENTIFIER");
    const name = this.#advance();
    return name.kind === "quoted-name" ? name.value : name.text;
  }

  #index(operand: Expression): Expression {
    const { offset } = this.#advance();
    const name = this.#take("?") ? "_[?_]" : "_[_]";
    const index = this.#expression();
    this.#expect("]");
    return this.#operator(name, offset, [operand, index]);
  }

  #call(name: string, target: Expression | undefined): Expression {
    const { offset } = this.#advance();
    const args = this.#list(")", () => this.#expression(), false);
    const macro = this.#macros.get(macroKey(name, target !== undefined, args.length));
    const expansion = macro?.expand({ target, args, offset });
    if (expansion === undefined) return this.#node({ kind: "call", name, target, args, offset });
    return "kind" in expansion ? this.#node(expansion) : this.#refuse(expansion);
  }

  #primary(): Expression {
    const token = this.#token;
    switch (token.kind) {
      case "int":
      case "uint":
      case "double":
        return this.#number();
      case "string":
      case "bytes":
        this.#advance();
        return this.#literal(token.value, token.offset);
      case "name":
        return this.#name(false);
      default:
        return this.#punctuated();
    }
  }

  #punctuated(): Expression {
    const { text, offset } = this.#token;
    switch (this.#token.kind === "symbol" ? text : "") {
      case "true":
      case "false":
        this.#advance();
        return this.#literal(text === "true", offset);
      case "null":
        this.#advance();
        return this.#literal(null, offset);
      case "(":
        return this.#parenthesized();
      case "[":
        this.#advance();
        return this.#node({ kind: "list", elements: this.#list("]", () => this.#element(), true), offset });
      case "{":
        this.#advance();
        return this.#node({ kind: "map", entries: this.#list("}", () => this.#entry(), true), offset });
      case ".":
        this.#advance();
        return this.#name(true);
      case "-":
        return this.#negativeNumber();
      default:
        return this.#mismatch("an expression");
    }
  }

  /** As in `!-1`, where no other minus is allowed. */
  #negativeNumber(): Expression {
    const { text, offset } = this.#advance();
    return this.#atNumber()
      ? this.#number(offset)
      : this.#stop(`extraneous input '${text}' expecting an expression`, offset);
  }

  #parenthesized(): Expression {
    this.#advance();
    const inner = this.#expression();
    this.#expect(")");
    return inner;
  }

  #name(absolute: boolean): Expression {
    if (this.#token.kind !== "name") this.#mismatch("IDENTIFIER");
    const { text, offset } = this.#advance();
    const reserved = reservedWords.has(text)
      ? this.#refuse({ message: `reserved identifier: ${text}`, offset })
      : undefined;
    if (this.#at("(")) return this.#call(absolute ? `.${text}` : text, undefined);
    if (reserved !== undefined) return reserved;
    return this.#node({ kind: "identifier", name: text, absolute, offset });
  }

  #message(operand: Expression): Expression {
    const { offset } = this.#advance();
    const fields = this.#list("}", () => this.#messageField(), true);
    return this.#node({ kind: "message", typeName: qualifiedName(operand) ?? "", fields, offset });
  }

  #messageField(): MessageField {
    const optional = this.#take("?");
    const name = this.#fieldName();
    const { offset } = this.#expect(":");
    return { offset, name, value: this.#expression(), optional };
  }

  #element(): { value: Expression; optional: boolean } {
    const optional = this.#take("?");
    return { value: this.#expression(), optional };
  }

  #entry(): MapLiteralEntry {
    const optional = this.#take("?");
    const key = this.#expression();
    this.#expect(":");
    return { key, value: this.#expression(), optional };
  }

  /** Items separated by commas, up to and including the closing mark. */
  #list<T>(close: string, item: () => T, trailingComma: boolean): T[] {
    const items: T[] = [];
    while (!this.#at(close) || (items.length > 0 && !trailingComma)) {
      items.push(item());
      if (!this.#take(",")) break;
    }
    this.#expect(close);
    return items;
  }

  #number(minusAt?: number): Expression {
    const { kind, text, offset } = this.#advance();
    const value = numberValue(kind, minusAt === undefined ? text : `-${text}`);
    const start = minusAt ?? offset;
    if (value === undefined) return this.#refuse({ message: `invalid ${kind} literal`, offset: start });
    return this.#literal(value, start);
  }

  #literal(value: Value, offset: number): Expression {
    return { kind: "literal", value, offset, depth: 1 };
  }

  #operator(name: string, offset: number, args: readonly Expression[]): Expression {
    return this.#node({ kind: "call", name, target: undefined, args, offset });
  }

  #node(node: WithoutDepth<Expression>): Expression {
    const depth = childrenOf(node).reduce((deepest, child) => Math.max(deepest, child.depth), 0) + 1;
    if (depth > this.#depthMax) this.#tooDeep(node.offset);
    return { ...node, depth };
  }

  #refuse(finding: Finding): Expression {
    this.#findings.push(finding);
    return { kind: "invalid", offset: finding.offset, depth: 1 };
  }

  #at(symbol: string): boolean {
    return this.#token.kind === "symbol" && this.#token.text === symbol;
  }

  #take(symbol: string): boolean {
    const found = this.#at(symbol);
    if (found) this.#advance();
    return found;
  }

  #expect(symbol: string): Token {
    return this.#at(symbol) ? this.#advance() : this.#mismatch(`'${symbol}'`);
  }

  /** Steps to the next token and returns the one left behind. */
  #advance(): Token {
    const token = this.#token;
    this.#token = nextToken(this.#source, token.offset + token.text.length);
    return token;
  }

  #mismatch(expected: string): never {
    this.#stop(`mismatched input '${shown(this.#token)}' expecting ${expected}`);
  }

  #stop(message: string, offset = this.#token.offset): never {
    throw new SyntaxStop(`Syntax error: ${message}`, offset);
  }

  #tooDeep(offset: number): never {
    throw new SyntaxStop(`expression recursion limit exceeded: ${this.#depthMax}`, offset);
  }
}

const tokenShown = 80;

/** A token in a message, truncated. */
function shown({ text }: Token): string {
  return text.length > tokenShown ? `${text.slice(0, tokenShown)}…` : text;
}

/** BigInt reads hexadecimal too, but not after a minus. */
function numberValue(kind: Token["kind"], text: string): Value | undefined {
  if (kind === "double") return Number.isFinite(Number(text)) ? Number(text) : undefined;
  const digits = text.replace(/^-|[uU]$/g, "");
  const size = BigInt(digits);
  if (kind === "uint") return isUint64(size) ? new Uint(size) : undefined;
  const value = text.startsWith("-") ? -size : size;
  return isInt64(value) ? value : undefined;
}
