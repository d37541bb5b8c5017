/** Characters that Go escapes with a letter, by that letter. CEL has the same. */
export const goEscapes: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

/** The reverse, for double-quoted strings. */
export const escapedInQuotes: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(goEscapes).map(([letter, character]) => [character, `\\${letter}`])),
  "\\": "\\\\",
  '"': '\\"',
};
