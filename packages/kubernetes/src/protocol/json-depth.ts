import { depthMax } from "./json-value.ts";

const quote = 0x22;
const backslash = 0x5c;

/**
 * Whether a JSON text is nested deeper than `depthMax`. For malformed text the part before its first error counts, so
 * that it can be called before parsing.
 */
export function isTooDeep(text: string): boolean {
  if (text.length <= 2 * depthMax) return false; // every level takes two brackets
  if (countUpTo(text, "{", depthMax) + countUpTo(text, "[", depthMax) <= depthMax) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    else if (code === 0x7b || code === 0x5b) depth += 1;
    else if (code === 0x7d || code === 0x5d) depth -= 1;
    if (depth > depthMax) return true;
  }
  return false;
}

/** Counts a character, up to `countMax`. Much faster than a loop over all characters. */
function countUpTo(text: string, character: string, countMax: number): number {
  let count = 0;
  for (let at = text.indexOf(character); at >= 0 && count <= countMax; at = text.indexOf(character, at + 1)) count += 1;
  return count;
}

/** Strings are most of a text, and are skipped at once. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end;
    while (text.charCodeAt(before - 1) === backslash) before -= 1;
    if ((end - before) % 2 === 0) return end;
  }
  return text.length;
}
