import { excerpt } from "../excerpt.ts";
import { Failure } from "../failure.ts";
import type { Timestamp } from "../value.ts";
import { floorDiv } from "./floor.ts";

/** Hours, with or without a leading zero, and minutes. */
const fixedOffset = /^([+-]?)(0?\d|1[0-4]):([0-5]\d)$/;

/** Whether a zone is a fixed offset from UTC, rather than a named one. */
export function isOffset(zone: string): boolean {
  return zone === "UTC" || zone === "" || fixedOffset.test(zone);
}

/** Seconds east of UTC at an instant, in a zone such as `UTC`, `Europe/Berlin` or `-03:30`. */
export function secondsEast(timestamp: Timestamp, zone: string): number | Failure {
  if (zone === "UTC" || zone === "") return 0;
  const match = fixedOffset.exec(zone);
  if (match !== null) return signed(match[1], Number(match[2]) * 3600 + Number(match[3]) * 60);
  const formatter = formatterOf(zone);
  if (formatter === undefined) return new Failure("invalid-argument", `unknown time zone ${excerpt(zone)}`);
  return secondsOf(formatter.formatToParts(Number(floorDiv(timestamp.nanos, 1_000_000n))));
}

const longOffset = /^GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/;

function secondsOf(parts: readonly Intl.DateTimeFormatPart[]): number {
  const name = parts.find((part) => part.type === "timeZoneName")?.value ?? "";
  const [, sign, hours = "0", minutes = "0", seconds = "0"] = longOffset.exec(name) ?? [];
  return signed(sign, Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds));
}

function signed(sign: string | undefined, size: number): number {
  return sign === "-" ? -size : size;
}

// Intl accepts more offset formats than the language has; only names may pass.
const zoneName = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/;

// Creating a formatter takes a hundred times as long as using one, and so does the failure for an unknown zone. Names
// may differ in case, but otherwise there are fewer than six hundred.
const formatters = new Map<string, Intl.DateTimeFormat>();
const unknown = new Set<string>();
const unknownMax = 1_024;

function formatterOf(zone: string): Intl.DateTimeFormat | undefined {
  if (!zoneName.test(zone)) return undefined;
  const name = zone.toLowerCase();
  const cached = formatters.get(name);
  if (cached !== undefined || unknown.has(name)) return cached;
  const made = makeFormatter(name);
  if (made === undefined) rememberUnknown(name);
  else formatters.set(name, made);
  return made;
}

function rememberUnknown(name: string): void {
  const [oldest] = unknown;
  if (unknown.size >= unknownMax && oldest !== undefined) unknown.delete(oldest);
  unknown.add(name);
}

function makeFormatter(zone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
