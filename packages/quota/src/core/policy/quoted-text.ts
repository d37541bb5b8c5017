/** String literals in actions, by the rules of both CEL and Go: three kinds of quotes, tripled or raw, with or without escapes. */

export function isQuote(character: string | undefined): character is '"' | "'" | "`" {
  return character === '"' || character === "'" || character === "`";
}

/** Index of the last character of the string literal that begins at `start`; -1 when it is not closed. */
export function closingQuote(text: string, start: number): number {
  const quote = text[start] as string;
  const isTriple = quote !== "`" && text.startsWith(quote.repeat(3), start);
  const mark = isTriple ? quote.repeat(3) : quote;
  const hasEscapes = quote !== "`" && !/[rR][bB]?$/.test(text.slice(Math.max(0, start - 2), start));
  for (let at = start + mark.length; at < text.length; at += 1) {
    if (hasEscapes && text[at] === "\\") at += 1;
    else if (text.startsWith(mark, at)) return at + mark.length - 1;
  }
  return -1;
}

/** Replaces the contents of string literals with quotes, so that the offsets of all other characters stay the same. */
export function withoutQuoted(text: string): string {
  let plain = "";
  for (let at = 0; at < text.length; at += 1) {
    const end = isQuote(text[at]) ? closingQuote(text, at) : at;
    const last = end < 0 ? text.length - 1 : end;
    plain += isQuote(text[at]) ? (text[at] as string).repeat(last - at + 1) : text[at];
    at = last;
  }
  return plain;
}
