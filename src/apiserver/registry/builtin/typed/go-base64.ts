const alphabet = /[A-Za-z0-9+/]/;

/** Where base64 text goes wrong, by Go's count; undefined when it is fine. Line breaks do not matter. */
export function base64FaultAt(text: string): number | undefined {
  let at = 0;
  for (;;) {
    const group = readGroup(text, at);
    if (typeof group === "number") return group;
    if (group.isLast) return group.length === 0 ? undefined : trailingFault(text, group.end);
    at = group.end;
  }
}

interface Group {
  readonly end: number;
  readonly length: number;
  readonly isLast: boolean;
}

/** Four characters, the last of them perhaps padding; a number where it breaks off. */
function readGroup(text: string, start: number): Group | number {
  let at = start;
  for (let length = 0; length < 4; ) {
    const character = text[at];
    if (character === undefined) return length === 0 ? { end: at, length, isLast: true } : at - length;
    at += 1;
    if (character === "\n" || character === "\r") continue;
    if (alphabet.test(character)) length += 1;
    else return character === "=" ? padding(text, at, length) : at - 1;
  }
  return { end: at, length: 4, isLast: false };
}

function padding(text: string, after: number, length: number): Group | number {
  if (length < 2) return after - 1;
  let at = after;
  if (length === 2) {
    at = skipBreaks(text, at);
    if (at >= text.length) return text.length;
    if (text[at] !== "=") return at - 1;
    at += 1;
  }
  return { end: at, length, isLast: true };
}

function trailingFault(text: string, end: number): number | undefined {
  const at = skipBreaks(text, end);
  return at < text.length ? at : undefined;
}

function skipBreaks(text: string, from: number): number {
  let at = from;
  while (text[at] === "\n" || text[at] === "\r") at += 1;
  return at;
}

/** How many bytes well-formed base64 text stands for. */
export function base64Bytes(text: string): number {
  const characters = text.replace(/[\r\n=]/g, "").length;
  return Math.floor((characters * 3) / 4);
}
