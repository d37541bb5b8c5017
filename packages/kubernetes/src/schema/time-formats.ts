const monthDays = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** RFC 3339 as Kubernetes reads it: any zone will do, and any character before the fraction. */
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
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = month === 2 && isLeap ? 29 : monthDays[month - 1];
  return days !== undefined && day >= 1 && day <= days;
}

const amount = "([0-9]+(\\.[0-9]*)?|\\.[0-9]+)(ns|us|µs|μs|ms|s|m|h)";
const goDuration = new RegExp(`^[-+]?(0|(${amount})+)$`);

/** Units of the looser notation; a word that starts with the last of a group is one too, such as `minutes`. */
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

/** `1h30m`, and what people write: `3 days`. */
export function isDuration(text: string): boolean {
  if ([...text.matchAll(/0*(\d+)/g)].some(([, digits = "0"]) => isBeyondInt64(digits))) return false;
  if (goDuration.test(text)) return true;
  const parts = [...text.matchAll(/\d+\s*([A-Za-zµ]+)/g)];
  return parts.some(([, unit]) => isUnit((unit as string).toLowerCase()));
}

/** By length first: the digits may go on for a megabyte. */
function isBeyondInt64(digits: string): boolean {
  return digits.length > 19 || BigInt(digits) > int64Max;
}

function isUnit(word: string): boolean {
  return units.some((names) => names.includes(word) || word.startsWith(names.at(-1) as string));
}
