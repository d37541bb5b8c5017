import { isCivilDate } from "../protocol/calendar.ts";

/**
 * The `date-time` format, which is looser than Kubernetes' times: it allows any zone, any character before the
 * fraction, and anything after a further `t`.
 */
export function isDateTime(text: string): boolean {
  const [date = "", time] = text.toLowerCase().split("t");
  if (time === undefined || !isDate(date)) return false;
  const match = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$/u.exec(time);
  return match !== null && Number(match[1]) < 24 && Number(match[2]) < 60 && Number(match[3]) < 60;
}

export function isDate(text: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (match === null) return false;
  const [year, month, day] = match.slice(1).map(Number) as [number, number, number];
  return isCivilDate({ year, month, day });
}

const amount = "([0-9]+(\\.[0-9]*)?|\\.[0-9]+)(ns|us|µs|μs|ms|s|m|h)";
const goDuration = new RegExp(`^[-+]?(0|(${amount})+)$`);

/** Units of the looser notation; a word that starts with the last of a group counts too, such as `minutes`. */
const units: readonly (readonly string[])[] = [
  ["ns", "nano"],
  ["us", "µs", "micro"],
  ["ms", "milli"],
  ["s", "sec"],
  ["m", "min"],
  ["h", "hr", "hour"],
  ["d", "day"],
  ["w", "wk", "week"],
];
const int64Max = 2n ** 63n - 1n;

/** `1h30m`, or `3 days`. */
export function isDuration(text: string): boolean {
  if ([...text.matchAll(/0*(\d+)/g)].some(([, digits = "0"]) => isBeyondInt64(digits))) return false;
  if (goDuration.test(text)) return true;
  const parts = [...text.matchAll(/\d+\s*([A-Za-zµ]+)/g)];
  return parts.some(([, unit]) => isUnit((unit as string).toLowerCase()));
}

/** By length first: there may be a megabyte of digits. */
function isBeyondInt64(digits: string): boolean {
  return digits.length > 19 || BigInt(digits) > int64Max;
}

function isUnit(word: string): boolean {
  return units.some((names) => names.includes(word) || word.startsWith(names.at(-1) as string));
}
