import { withoutQuoted } from "../quoted-text.ts";
import type { TemplateIssue } from "../template-scan.ts";
import { goFunctions } from "./go-functions.ts";

const keywords = new Set(["if", "else", "end", "range", "with", "define", "block", "template", "break", "continue"]);

export function isFunctionName(word: string): boolean {
  return word === "default" || Object.hasOwn(goFunctions, word);
}

/**
 * Whether an action is a Go template pipeline: it has a single `|`, or starts with a function and an argument. Everything else
 * is CEL, even a lone path such as `.trigger.metadata.name`.
 */
export function isGoForm(source: string): boolean {
  const plain = withoutQuoted(source);
  return /(?<!\|)\|(?!\|)/.test(plain) || startsWithCall(plain) || isStatement(source);
}

/** The issue of an action with a Go statement, comment or variable, which are not supported. */
export function statementIssue(source: string): TemplateIssue | undefined {
  if (!isStatement(source)) return undefined;
  const word = /^(\$\w*|\/\*|\w+)/.exec(source)?.[0] ?? source;
  return { message: `${word} is not supported in templates: use a CEL expression, such as a ? b : c`, offset: 0 };
}

/** `lower .x` and `lower (…)` are Go syntax; `lower(…)` is CEL syntax. */
function startsWithCall(plain: string): boolean {
  const [, word = ""] = /^[(\s]*([A-Za-z]+)\s+[.("`\w]/.exec(plain) ?? [];
  return isFunctionName(word);
}

function isStatement(source: string): boolean {
  const word = /^[a-z]+/.exec(source)?.[0] ?? "";
  return /^(\$|\/\*)/.test(source) || (keywords.has(word) && !/^[a-z]+[.([]/.test(source));
}
