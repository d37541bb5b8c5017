import { civilFromDays, daysFromCivil, isCivilDate } from "./calendar.ts";

const secondsPerDay = 86_400;

/** Cached texts of recent seconds: every write and every decision has a timestamp. */
const texts = new Map<number, string>();
const textsMax = 16;

/** To the second, as in most timestamps of Kubernetes. */
export function formatTime(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  const cached = texts.get(seconds);
  if (cached !== undefined) return cached;
  const text = `${utcText(seconds)}Z`;
  if (texts.size >= textsMax) texts.clear();
  texts.set(seconds, text);
  return text;
}

/** To the microsecond, as in leases; the clock has milliseconds. */
export function formatMicroTime(ms: number): string {
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

/** A parsed time: seconds since 1970, and the fractional digits. */
export interface TimeParts {
  readonly seconds: number;
  readonly fraction: string;
}

/** RFC 3339 as parsed by Go: the hour may have one digit, and the fraction may follow a comma. */
const goTime = /^(\d{4})-(\d\d)-(\d\d)T(\d\d?):(\d\d):(\d\d)(?:[.,](\d+))?(?:Z|([+-])(\d\d):(\d\d))$/;

/** Undefined for invalid times. */
export function readTime(text: string): TimeParts | undefined {
  const match = goTime.exec(text);
  // As in Go, which accepts offsets of 24 hours and of 60 minutes.
  return match === null || Number(match[9] ?? 0) > 24 || Number(match[10] ?? 0) > 60 ? undefined : momentOf(match);
}

/** Milliseconds since 1970; undefined for invalid times. */
export function parseTime(text: string): number | undefined {
  return milliseconds(readTime(text));
}

/** The `date-time` format of schemas: letters in either case, any character before the fraction, any offset. */
const dateTime = /^(\d{4})-(\d\d)-(\d\d)t(\d\d):(\d\d):(\d\d)(?:.(\d+))?(?:z|([+-])(\d\d):(\d\d))$/iu;

/** Milliseconds since 1970, of a text that passed the `date-time` format. */
export function parseDateTime(text: string): number | undefined {
  const match = dateTime.exec(text);
  return match === null ? undefined : milliseconds(momentOf(match));
}

function momentOf(match: RegExpExecArray): TimeParts | undefined {
  const part = (index: number): number => Number(match[index] ?? 0);
  const date = { year: part(1), month: part(2), day: part(3) };
  if (part(4) > 23 || part(5) > 59 || part(6) > 59 || !isCivilDate(date)) return undefined;
  const offset = (part(9) * 3_600 + part(10) * 60) * (match[8] === "-" ? -1 : 1);
  const seconds = daysFromCivil(date) * secondsPerDay + part(4) * 3_600 + part(5) * 60 + part(6) - offset;
  return { seconds, fraction: match[7] ?? "" };
}

function milliseconds(time: TimeParts | undefined): number | undefined {
  return time === undefined ? undefined : time.seconds * 1_000 + Number(time.fraction.slice(0, 3).padEnd(3, "0"));
}

/** Times as formatted here; excludes February 29, which needs the full check. */
const canonicalTime =
  /^\d{4}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;

let latestCanonical = "";

/** Fast check that a text is as `formatTime` writes it. Most times are of the same second. */
export function isCanonicalTime(text: string): boolean {
  if (text === latestCanonical) return true;
  if (!canonicalTime.test(text)) return false;
  latestCanonical = text;
  return true;
}

/** Whether Kubernetes would parse the time, with any or no fraction. */
export function isTime(text: string): boolean {
  return isCanonicalTime(text) || readTime(text) !== undefined;
}

/** The same for times with exactly six fractional digits. */
export function isMicroTime(text: string): boolean {
  return readTime(text)?.fraction.length === 6;
}
