import { escapedInQuotes } from "./go-escapes.ts";

/** Quotes a string like Go's %q, for messages that match those of Kubernetes. */
export function quote(text: string): string {
  return `"${text.replace(/[\\"]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, escaped)}"`;
}

function escaped(character: string): string {
  const short = escapedInQuotes[character];
  if (short !== undefined) return short;
  const code = character.codePointAt(0) as number;
  if (code < 0x80) return `\\x${hex(code, 2)}`;
  if (code >= 0xd800 && code <= 0xdfff) return "\ufffd";
  return code < 0x10000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, "0");
}
