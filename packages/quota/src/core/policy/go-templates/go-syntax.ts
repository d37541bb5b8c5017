import type { JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { TemplateIssue } from "../template-scan.ts";
import { isFunctionName, statementIssue } from "./go-form.ts";
import { goFunctions } from "./go-functions.ts";
import { goStringValue } from "./go-string.ts";

/** A parsed Go template pipeline. */
export type PipelineNode =
  | { readonly kind: "literal"; readonly value: JsonValue }
  | { readonly kind: "path"; readonly steps: readonly string[]; readonly offset: number }
  | {
      readonly kind: "call";
      readonly name: string;
      readonly arguments: readonly PipelineNode[];
      readonly offset: number;
    };

export type ParsedPipeline =
  | { readonly ok: true; readonly node: PipelineNode }
  | { readonly ok: false; readonly issue: TemplateIssue };

interface Token {
  readonly kind: "path" | "string" | "number" | "word" | "symbol" | "unknown" | "end";
  readonly text: string;
  readonly offset: number;
}

const depthMax = 50;
const pattern =
  /(?<space>\s+)|(?<path>(?:\.[A-Za-z_]\w*)+)|(?<string>"(?:\\.|[^"\\])*"|`[^`]*`)|(?<number>[-+]?[0-9]+(?:\.[0-9]+)?)|(?<word>[A-Za-z_]\w*)|(?<symbol>[|()])|(?<unknown>[\s\S])/gy;

export function parsePipeline(source: string): ParsedPipeline {
  const statement = statementIssue(source);
  if (statement !== undefined) return { ok: false, issue: statement };
  try {
    return { ok: true, node: new PipelineReader(tokenize(source), source.length).read() };
  } catch (error) {
    if (error instanceof PipelineSyntaxError) return { ok: false, issue: error.issue };
    throw error;
  }
}

class PipelineSyntaxError extends Error {
  readonly issue: TemplateIssue;

  constructor(message: string, offset: number) {
    super(message);
    this.issue = { message, offset };
  }
}

class PipelineReader {
  readonly #tokens: readonly Token[];
  readonly #end: Token;
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[], length: number) {
    this.#tokens = tokens;
    this.#end = { kind: "end", text: "", offset: length };
  }

  read(): PipelineNode {
    const node = this.#pipeline();
    if (this.#peek().kind !== "end") this.#fail();
    return node;
  }

  /** Each command's value is the last argument of the next. */
  #pipeline(): PipelineNode {
    let node = this.#command(undefined);
    while (this.#accept("|")) node = this.#command(node);
    return node;
  }

  #command(piped: PipelineNode | undefined): PipelineNode {
    const token = this.#peek();
    if (token.kind === "word" && isFunctionName(token.text)) return this.#call(piped);
    const operand = this.#operand();
    if (piped === undefined) return operand;
    throw new PipelineSyntaxError(`expected a function after |, but found ${token.text}`, token.offset);
  }

  #call(piped: PipelineNode | undefined): PipelineNode {
    const { text: name, offset } = this.#next();
    const given: PipelineNode[] = [];
    while (this.#peek().kind !== "end" && this.#peek().text !== "|" && this.#peek().text !== ")")
      given.push(this.#operand());
    return { kind: "call", name, arguments: piped === undefined ? given : [...given, piped], offset };
  }

  #operand(): PipelineNode {
    const token = this.#next();
    switch (token.kind) {
      case "path":
        return { kind: "path", steps: token.text.slice(1).split("."), offset: token.offset };
      case "string":
        return { kind: "literal", value: this.#text(token) };
      case "number":
        return { kind: "literal", value: numberOf(token.text) };
      case "word":
        return this.#word(token);
      default:
        return token.text === "(" ? this.#group(token) : this.#fail(token);
    }
  }

  #word(token: Token): PipelineNode {
    if (token.text === "true" || token.text === "false") return { kind: "literal", value: token.text === "true" };
    throw new PipelineSyntaxError(this.#misplaced(token), token.offset);
  }

  #misplaced({ text }: Token): string {
    if (isFunctionName(text)) return `${text} must be in parentheses together with its arguments`;
    if (this.#peek().kind === "path") return `a path in a pipeline must start with a dot: .${text}${this.#peek().text}`;
    return `unknown function ${text}: available are default, ${Object.keys(goFunctions).join(", ")}`;
  }

  #group(open: Token): PipelineNode {
    this.#depth += 1;
    if (this.#depth > depthMax) throw new PipelineSyntaxError(`nested deeper than ${depthMax} levels`, open.offset);
    const node = this.#pipeline();
    if (!this.#accept(")")) throw new PipelineSyntaxError("missing closing )", open.offset);
    this.#depth -= 1;
    return node;
  }

  /** Raw strings in backquotes have no escapes. */
  #text({ text, offset }: Token): string {
    const inside = text.slice(1, -1);
    const value = text.startsWith("`") ? inside : goStringValue(inside);
    if (value === undefined) throw new PipelineSyntaxError(`malformed string ${text}`, offset);
    return value;
  }

  #peek(): Token {
    return this.#tokens[this.#at] ?? this.#end;
  }

  #next(): Token {
    const token = this.#peek();
    this.#at += 1;
    return token;
  }

  #accept(symbol: string): boolean {
    if (this.#peek().text !== symbol || this.#peek().kind !== "symbol") return false;
    this.#at += 1;
    return true;
  }

  #fail(token = this.#peek()): never {
    const found = token.kind === "end" ? "the end" : token.text;
    throw new PipelineSyntaxError(`unexpected ${found}`, token.offset);
  }
}

function numberOf(text: string): number | bigint {
  const number = Number(text);
  return text.includes(".") || Number.isSafeInteger(number) ? number : BigInt(text);
}

function tokenize(source: string): readonly Token[] {
  const tokens: Token[] = [];
  for (const { groups = {}, 0: text, index } of source.matchAll(pattern)) {
    const kind = Object.keys(groups).find((name) => groups[name] !== undefined);
    if (kind !== "space") tokens.push({ kind: kind as Token["kind"], text, offset: index });
  }
  return tokens;
}
