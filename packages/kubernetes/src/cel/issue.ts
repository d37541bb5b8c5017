/** Something wrong with an expression, found before it runs. */
export interface Issue {
  readonly message: string;
  /** UTF-16 units from the start of the expression; add the expression's own start to place it in a larger text. */
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

/** Lines longer than this are not shown: the message still names the place. */
const snippetMax = 16_384;

/**
 * A message with its place and the line it is about:
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

/** Anything beyond ASCII gets a full-width mark, so that the caret stays under its character. */
function isWide(character: string): boolean {
  return (character.codePointAt(0) ?? 0) > 0x7f;
}
