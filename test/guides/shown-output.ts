/**
 * Whether the output of a command matches a guide. All words must be equal and in order; white space and line breaks may
 * differ. Parts that vary between runs are written as:
 *
 * - `...` on a separate line: any lines, or none.
 * - `...` between words: anything, up to the end of the line.
 * - `...` in a word: any characters of that word.
 * - an age at the end of a line, such as `5s` or `2m10s`: any age.
 * - a time, such as `2026-01-31T12:00:00Z`: any time.
 */
export function printsAsShown(shown: readonly string[], printed: string): boolean {
  const pattern = shown.map((line) => linePattern(line)).join("");
  return new RegExp(`^\\s*${pattern}$`).test(`${printed.trimEnd()}\n`);
}

const age = /^(?:\d+[dhms]){1,2}$/;
const agePattern = "(?:\\d+[dhms]){1,2}";
const time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/;
const timePattern = "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ";

function linePattern(line: string): string {
  const words = line.split(/\s+/).filter((word) => word !== "");
  if (words.length === 1 && words[0] === "...") return "(?:[^\\n]*\\n)*?\\s*";
  return words.map((word, at) => wordPattern(word, at > 0 && at === words.length - 1)).join("");
}

function wordPattern(word: string, last: boolean): string {
  if (word === "...") return "[^\\n]*?\\s*";
  if (last && age.test(word)) return `(?<!\\S)${agePattern}\\s+`;
  return `(?<!\\S)${word.split("...").map(withTimes).join("\\S*")}\\s+`;
}

function withTimes(text: string): string {
  return text.split(time).map(literally).join(timePattern);
}

function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}

/** Whether the guide shows a command that fails, or answers `no`. */
export function showsFailure(shown: readonly string[]): boolean {
  return shown.some((line) => /^(?:Error from server|error:|The \S+ .* is invalid:|no(?: - .*)?$)/.test(line));
}
