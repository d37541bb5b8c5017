import { civilFromDays, daysFromCivil, isCivilDate } from "./calendar.ts";

const secondsPerDay = 86_400;

/** Texts of the last seconds that were asked for: every write and every decision is written down with the time. */
const texts = new Map<number, string>();
const textsMax = 16;

/** Seconds, as most timestamps of Kubernetes have them. */
export function timeText(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  const known = texts.get(seconds);
  if (known !== undefined) return known;
  const text = `${utcText(seconds)}Z`;
  if (texts.size >= textsMax) texts.clear();
  texts.set(seconds, text);
  return text;
}

/** Microseconds, as leases have them; our clocks know milliseconds. */
export function microTimeText(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  return `${utcText(seconds)}.${padded(Math.trunc(ms - seconds * 1_000), 3)}000Z`;
}

function utcText(seconds: number): string {
  const days = Math.floor(seconds / secondsPerDay);
  const { year, month, day } = civilFromDays(days);
  const rest = seconds - days * secondsPerDay;
  const [hour, minute, second] = [Math.floor(rest / 3_600), Math.floor(rest / 60) % 60, rest % 60];
  return `${padded(year, 4)}-${padded(month, 2)}-${padded(day, 2)}T${padded(hour, 2)}:${padded(minute, 2)}:${padded(second, 2)}`;
}

function padded(part: number, digits: number): string {
  return String(part).padStart(digits, "0");
}

/** A moment that was read: seconds since 1970, and the digits after them. */
export interface ReadTime {
  readonly seconds: number;
  readonly fraction: string;
}

/** RFC 3339 as Go reads it, and so Kubernetes: the hour may have one digit, and a comma may stand before the fraction. */
const goTime = /^(\d{4})-(\d\d)-(\d\d)T(\d\d?):(\d\d):(\d\d)(?:[.,](\d+))?(?:Z|([+-])(\d\d):(\d\d))$/;

/** Undefined for what is no time. */
export function readTime(text: string): ReadTime | undefined {
  const match = goTime.exec(text);
  // As in Go, which takes offsets of 24 hours and of 60 minutes because people write them.
  return match === null || Number(match[9] ?? 0) > 24 || Number(match[10] ?? 0) > 60 ? undefined : momentOf(match);
}

/** Milliseconds since 1970; undefined for what is no time. */
export function parseTime(text: string): number | undefined {
  return milliseconds(readTime(text));
}

/** The format `date-time` of schemas: letters in either case, any character before the fraction, any offset. */
const dateTime = /^(\d{4})-(\d\d)-(\d\d)t(\d\d):(\d\d):(\d\d)(?:.(\d+))?(?:z|([+-])(\d\d):(\d\d))$/iu;

/** Milliseconds since 1970 of a text that a schema took for a date-time. */
export function parseDateTime(text: string): number | undefined {
  const match = dateTime.exec(text);
  return match === null ? undefined : milliseconds(momentOf(match));
}

function momentOf(match: RegExpExecArray): ReadTime | undefined {
  const part = (index: number): number => Number(match[index] ?? 0);
  const date = { year: part(1), month: part(2), day: part(3) };
  if (part(4) > 23 || part(5) > 59 || part(6) > 59 || !isCivilDate(date)) return undefined;
  const offset = (part(9) * 3_600 + part(10) * 60) * (match[8] === "-" ? -1 : 1);
  const seconds = daysFromCivil(date) * secondsPerDay + part(4) * 3_600 + part(5) * 60 + part(6) - offset;
  return { seconds, fraction: match[7] ?? "" };
}

function milliseconds(time: ReadTime | undefined): number | undefined {
  return time === undefined ? undefined : time.seconds * 1_000 + Number(time.fraction.slice(0, 3).padEnd(3, "0"));
}

/** Times as they are written here, on any day but the last of a leap February: nothing is wrong with these. */
const plainTime =
  /^\d{4}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;

let latestPlain = "";

/** Whether a text is as `timeText` writes it. Most times that are looked at are of the same second. */
export function isPlainTime(text: string): boolean {
  if (text === latestPlain) return true;
  if (!plainTime.test(text)) return false;
  latestPlain = text;
  return true;
}

/** Whether a text is a time that Kubernetes would read, with any fraction of a second or none. */
export function isTime(text: string): boolean {
  return isPlainTime(text) || readTime(text) !== undefined;
}

/** The same for times that always have six digits after the seconds. */
export function isMicroTime(text: string): boolean {
  return readTime(text)?.fraction.length === 6;
}
