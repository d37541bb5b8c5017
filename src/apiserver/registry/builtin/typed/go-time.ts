import { quote } from "../../../../protocol/go-quote.ts";

/** Layouts as Go writes them; `Time` has seconds, `MicroTime` always six digits after them. */
export const timeLayout = "2006-01-02T15:04:05Z07:00";
export const microTimeLayout = "2006-01-02T15:04:05.000000Z07:00";

const monthDays = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Times as the server writes them, on any day but the last of a leap February: nothing is wrong with these. */
const plainTime =
  /^\d{4}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;

let latestPlain = "";

/** Most times that are looked at are of the same second. */
function isPlainTime(text: string): boolean {
  if (text === latestPlain) return true;
  if (!plainTime.test(text)) return false;
  latestPlain = text;
  return true;
}

/** Why Go does not read a text as a time, in its words; undefined when it does. */
export function timeFault(text: string, layout: string): string | undefined {
  if (layout === timeLayout && isPlainTime(text)) return undefined;
  const fault = new TimeReader(text, layout).fault();
  return fault === undefined ? undefined : `parsing time ${quote(text)}${fault}`;
}

/** The parts of a time in the order they are read: what the layout calls them, and how they look. */
const parts: readonly (readonly [layout: string, pattern: RegExp])[] = [
  ["2006", /^\d{4}/],
  ["-", /^-/],
  ["01", /^\d{2}/],
  ["-", /^-/],
  ["02", /^\d{2}/],
  ["T", /^T/],
  ["15", /^\d{1,2}/],
  [":", /^:/],
  ["04", /^\d{2}/],
  [":", /^:/],
  ["05", /^\d{2}/],
];
const zone: readonly [string, RegExp] = ["Z07:00", /^(Z|[-+]\d{2}:\d{2})/];

class TimeReader {
  readonly #layout: string;
  #rest: string;
  readonly #values: number[] = [];

  constructor(text: string, layout: string) {
    this.#rest = text;
    this.#layout = layout;
  }

  fault(): string | undefined {
    for (const [name, pattern] of parts) {
      const fault = this.#take(name, pattern) ?? this.#range(name);
      if (fault !== undefined) return fault;
    }
    const fraction = this.#layout === microTimeLayout ? this.#take(".000000", /^[.,]\d{6}/) : this.#skipFraction();
    return fraction ?? this.#take(...zone) ?? this.#extra() ?? this.#day();
  }

  #take(name: string, pattern: RegExp): string | undefined {
    const found = pattern.exec(this.#rest)?.[0];
    if (found === undefined) return ` as ${quote(this.#layout)}: cannot parse ${quote(this.#rest)} as ${quote(name)}`;
    this.#rest = this.#rest.slice(found.length);
    if (/^\d+$/.test(found)) this.#values.push(Number(found));
    return undefined;
  }

  #range(name: string): string | undefined {
    const value = this.#values.at(-1) as number;
    if (name === "01" && (value < 1 || value > 12)) return ": month out of range";
    if (name === "15" && value > 23) return ": hour out of range";
    if (name === "04" && value > 59) return ": minute out of range";
    return name === "05" && value > 59 ? ": second out of range" : undefined;
  }

  #skipFraction(): undefined {
    this.#rest = this.#rest.replace(/^[.,]\d+/, "");
  }

  #extra(): string | undefined {
    return this.#rest === "" ? undefined : `: extra text: ${quote(this.#rest)}`;
  }

  #day(): string | undefined {
    const [year = 0, month = 1, day = 0] = this.#values;
    const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
    const days = month === 2 && isLeap ? 29 : (monthDays[month - 1] as number);
    return day < 1 || day > days ? ": day out of range" : undefined;
  }
}
