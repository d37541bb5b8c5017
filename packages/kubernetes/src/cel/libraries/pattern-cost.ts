// What it takes to compile a regular expression, told from its text alone and in time proportional to that: `a{1000}` is
// seven characters and a thousand instructions. Not exact, and never far too little.

/** In units of cost, before anything has been compiled. */
export function compileCost(pattern: string): number {
  return 10 + instructions(pattern) + classCost(pattern);
}

/** Sets of characters named by their Unicode property have hundreds of ranges each. */
const propertyCost = 200;

/** Ignoring case, every character of a range is asked for its other forms, and there may be a million of them. */
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

/** What has been read of a group, and the last piece of it, which a count after it repeats. */
interface Group {
  readonly total: number;
  readonly last: number;
}

/** An escape, a class, a count, or one character. */
const tokens = /\\.|\[\^?\]?(?:\\.|[^\\\]])*\]|\{(\d+)(?:,(\d*))?\}|./gsu;

const captureSize = 2;

/** Beyond this a count is refused by whoever reads the pattern in earnest. */
const repetitionsMax = 1_000;

function append({ total }: Group, size: number): Group {
  return { total: total + size, last: size };
}

function repeat({ total, last }: Group, times: number): Group {
  const repeated = (last + 1) * times;
  return { total: total - last + repeated, last: repeated };
}
