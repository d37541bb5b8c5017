// The language counts code points, JavaScript counts UTF-16 units. They agree in every string without surrogates,
// which is nearly all of them, so each function here looks for surrogates first and takes the plain way without.

const surrogate = /[\ud800-\udfff]/;

export function textLength(text: string): number {
  if (!surrogate.test(text)) return text.length;
  let pairs = 0;
  for (let unit = 0; unit < text.length; unit += 1) {
    if (startsPair(text, unit)) {
      pairs += 1;
      unit += 1;
    }
  }
  return text.length - pairs;
}

export function codePointsOf(text: string): readonly string[] {
  return surrogate.test(text) ? Array.from(text) : text.split("");
}

/** As many as fit on the stack as arguments. */
const chunkMax = 4_096;

/** The text with each UTF-16 unit mapped. */
export function changeUnits(text: string, change: (unit: number) => number): string {
  let changed = "";
  for (let start = 0; start < text.length; start += chunkMax) {
    const units = new Uint16Array(Math.min(chunkMax, text.length - start));
    for (let index = 0; index < units.length; index += 1) units[index] = change(text.charCodeAt(start + index));
    changed += String.fromCharCode(...units);
  }
  return changed;
}

/** The code points from `start` up to `end`, which must be inside the text. */
export function sliceText(text: string, start: number, end: number): string {
  if (!surrogate.test(text)) return text.slice(start, end);
  const from = unitsOf(text, start);
  return text.slice(from, from + unitsOf(text.slice(from), end - start));
}

export function indexOfText(text: string, part: string, from: number): number {
  if (!surrogate.test(text)) return text.indexOf(part, from);
  let unit = text.indexOf(part, unitsOf(text, from));
  while (splitsPairs(text, unit, part)) unit = text.indexOf(part, unit + 1);
  return unit < 0 ? -1 : textLength(text.slice(0, unit));
}

export function lastIndexOfText(text: string, part: string, from: number): number {
  if (!surrogate.test(text)) return text.lastIndexOf(part, from);
  let unit = text.lastIndexOf(part, unitsOf(text, from));
  while (splitsPairs(text, unit, part)) unit = unit === 0 ? -1 : text.lastIndexOf(part, unit - 1);
  return unit < 0 ? -1 : textLength(text.slice(0, unit));
}

/** By code points: U+1F600 sorts after U+FFFD, although its first UTF-16 unit is smaller. */
export function compareText(left: string, right: string): number {
  if (left === right) return 0;
  const difference = firstDifference(left, right);
  return codePointRank(left.charCodeAt(difference)) < codePointRank(right.charCodeAt(difference)) ? -1 : 1;
}

function firstDifference(left: string, right: string): number {
  let index = 0;
  while (index < left.length && left.charCodeAt(index) === right.charCodeAt(index)) index += 1;
  return index;
}

/** Moves surrogates above the rest of the basic plane; the end of a text (NaN) ranks below everything. */
function codePointRank(unit: number): number {
  if (Number.isNaN(unit)) return -1;
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

/** Number of units of the first code points. */
function unitsOf(text: string, codePoints: number): number {
  let unit = 0;
  for (let seen = 0; seen < codePoints && unit < text.length; seen += 1) unit += startsPair(text, unit) ? 2 : 1;
  return unit;
}

function startsPair(text: string, unit: number): boolean {
  if ((text.charCodeAt(unit) & 0xfc00) !== 0xd800) return false;
  return (text.charCodeAt(unit + 1) & 0xfc00) === 0xdc00;
}

/** Whether a match starts or ends in the middle of a code point, which makes it invalid. */
function splitsPairs(text: string, unit: number, part: string): boolean {
  return unit >= 0 && (startsPair(text, unit - 1) || startsPair(text, unit + part.length - 1));
}
