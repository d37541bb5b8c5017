/** An issue found before an expression runs. */
export interface Issue {
  readonly message: string;
  /** UTF-16 units from the start of the expression; add the expression's own offset for a position in a larger text. */
  readonly offset: number;
  /** From 1. */
  readonly line: number;
  /** From 1, in code points. */
  readonly column: number;
}

export interface Position {
  readonly line: number;
  readonly column: number;
}

export function positionAt(source: string, offset: number): Position {
  const before = source.slice(0, offset);
  const lineStart = before.lastIndexOf("\n") + 1;
  let line = 1;
  for (const character of before) if (character === "\n") line += 1;
  return { line, column: Array.from(before.slice(lineStart)).length + 1 };
}

/** Longer lines are not shown: the message still has the position. */
const snippetMax = 16_384;

/**
 * A message with its position and the line:
 *
 *     ERROR: <input>:1:9: undeclared reference to 'foo' (in container '')
 *      | 1 + 2 + foo
 *      | ........^
 */
export function renderIssue(source: string, { message, offset }: Pick<Issue, "message" | "offset">): string {
  const { line, column } = positionAt(source, offset);
  const headline = `ERROR: <input>:${line}:${column}: ${message}`;
  const snippet = (source.split("\n")[line - 1] ?? "").replaceAll("\t", " ");
  if (snippet.length > snippetMax) return headline;
  const characters = Array.from(snippet);
  const dots = characters.slice(0, column - 1).map((character) => (isWide(character) ? "．" : "."));
  const caret = isWide(characters[column - 1] ?? "") ? "＾" : "^";
  return `${headline}\n | ${snippet}\n | ${dots.join("")}${caret}`;
}

/** Non-ASCII characters get a full-width mark, so that the caret stays aligned. */
function isWide(character: string): boolean {
  return (character.codePointAt(0) ?? 0) > 0x7f;
}
