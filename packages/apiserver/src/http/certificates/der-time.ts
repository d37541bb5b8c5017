import { civilFromDays, daysFromCivil, isCivilDate } from "@milo-quota/kubernetes/cel/values/time/calendar.ts";
import { type DerElement, DerError } from "./der-reader.ts";
import { element, tags } from "./der-writer.ts";

const secondsPerDay = 86_400;

/** A point in time, to the second. Years before 2050 have two digits, as certificates must have it. */
export function timeElement(ms: number): Buffer {
  const seconds = Math.floor(ms / 1000);
  const days = Math.floor(seconds / secondsPerDay);
  const { year, month, day } = civilFromDays(days);
  const inDay = seconds - days * secondsPerDay;
  const clock = [Math.floor(inDay / 3600), Math.floor(inDay / 60) % 60, inDay % 60];
  const rest = [month, day, ...clock].map((part) => pad(part, 2)).join("");
  if (year >= 1950 && year < 2050) return element(tags.utcTime, Buffer.from(`${pad(year % 100, 2)}${rest}Z`));
  return element(tags.generalizedTime, Buffer.from(`${pad(year, 4)}${rest}Z`));
}

/** Milliseconds since 1970. */
export function readTime({ tag, content }: DerElement): number {
  const text = content.toString("latin1");
  const digits = tag === tags.utcTime ? `${Number(text.slice(0, 2)) >= 50 ? "19" : "20"}${text}` : text;
  const match = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(digits);
  if (match === null || (tag !== tags.utcTime && tag !== tags.generalizedTime)) throw new DerError("unreadable time");
  const [year = 0, month = 0, day = 0, hours = 0, minutes = 0, seconds = 0] = match.slice(1).map(Number);
  const date = { year, month, day };
  if (!isCivilDate(date) || hours > 23 || minutes > 59 || seconds > 59) throw new DerError("no such time");
  return (daysFromCivil(date) * secondsPerDay + hours * 3600 + minutes * 60 + seconds) * 1000;
}

function pad(value: number, digits: number): string {
  return value.toString().padStart(digits, "0");
}
