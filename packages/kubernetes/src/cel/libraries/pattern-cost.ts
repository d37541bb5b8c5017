// Estimates the cost of compiling a regular expression from its text, in linear time: `a{1000}` is seven characters and
// a thousand instructions. Not exact, but never far too low.

/** In cost units. */
export function compileCost(pattern: string): number {
  return 10 + instructions(pattern) + classCost(pattern);
}

/** Unicode property classes have hundreds of ranges each. */
const propertyCost = 200;

/** With case folding every character of a range is looked up, and there may be a million of them. */
const foldedRangeCost = 10_000;

function classCost(pattern: string): number {
  const properties = countOf(pattern, /\\p/gi) * propertyCost;
  const foldsCase = /\(\?[a-z]*i/i.test(pattern);
  return properties + (foldsCase ? countOf(pattern, /-(?:\\x\{|[\u0080-\uffff])/g) * foldedRangeCost : 0);
}

function countOf(text: string, what: RegExp): number {
  return Array.from(text.matchAll(what)).length;
}

function instructions(pattern: string): number {
  const groups: Group[] = [];
  let group: Group = { total: 0, last: 0 };
  for (const [token, low, high] of pattern.matchAll(tokens)) {
    if (token === "(") {
      groups.push(group);
      group = { total: 0, last: 0 };
    } else if (token === ")") {
      const inner = group.total + captureSize;
      group = append(groups.pop() ?? { total: 0, last: 0 }, inner);
    } else if (low !== undefined) {
      group = repeat(group, Math.min(repetitionsMax, Number(high || low)));
    } else {
      group = append(group, 1);
    }
  }
  return groups.reduce((sum, open) => sum + open.total, group.total);
}

/** The cost of a group so far, and of its last item, which a following count repeats. */
interface Group {
  readonly total: number;
  readonly last: number;
}

/** An escape, a class, a count, or one character. */
const tokens = /\\.|\[\^?\]?(?:\\.|[^\\\]])*\]|\{(\d+)(?:,(\d*))?\}|./gsu;

const captureSize = 2;

/** Higher counts are rejected by the actual parser. */
const repetitionsMax = 1_000;

function append({ total }: Group, size: number): Group {
  return { total: total + size, last: size };
}

function repeat({ total, last }: Group, times: number): Group {
  const repeated = (last + 1) * times;
  return { total: total - last + repeated, last: repeated };
}
