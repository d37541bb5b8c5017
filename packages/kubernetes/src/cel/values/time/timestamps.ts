import { civilFromDays, daysFromCivil } from "../../../protocol/calendar.ts";
import { readTime } from "../../../protocol/time.ts";
import { Failure } from "../failure.ts";
import { Timestamp } from "../value.ts";
import { floorDiv, floorMod } from "./floor.ts";

export const nanosPerSecond = 1_000_000_000n;
const secondsPerDay = 86_400;

const earliest = -62_135_596_800n * nanosPerSecond; // 0001-01-01T00:00:00Z
const latest = 253_402_300_800n * nanosPerSecond - 1n; // 9999-12-31T23:59:59.999999999Z

export function timestampOrOverflow(nanos: bigint): Timestamp | Failure {
  return nanos < earliest || nanos > latest ? new Failure("overflow", "timestamp overflow") : new Timestamp(nanos);
}

export function parseTimestamp(text: string): Timestamp | Failure {
  const read = readTime(text);
  if (read === undefined) {
    return new Failure("conversion", "type conversion error from 'string' to 'google.protobuf.Timestamp'");
  }
  return timestampOrOverflow(BigInt(read.seconds) * nanosPerSecond + BigInt(read.fraction.slice(0, 9).padEnd(9, "0")));
}

export function formatTimestamp(timestamp: Timestamp): string {
  const { year, month, day, hours, minutes, seconds } = clockAt(timestamp, 0);
  const date = `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`;
  const time = `${pad(hours, 2)}:${pad(minutes, 2)}:${pad(seconds, 2)}`;
  return `${date}T${time}${formatFraction(floorMod(timestamp.nanos, nanosPerSecond))}Z`;
}

/** `.5` for half a second, nothing for none. */
export function formatFraction(nanos: bigint): string {
  return nanos === 0n ? "" : `.${nanos.toString().padStart(9, "0").replace(/0+$/, "")}`;
}

export interface ClockReading {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  /** 0 for the first of January. */
  readonly dayOfYear: number;
  /** 0 for Sunday. */
  readonly dayOfWeek: number;
  readonly hours: number;
  readonly minutes: number;
  readonly seconds: number;
}

/** Calendar and clock at an instant, with an offset from UTC. */
export function clockAt(timestamp: Timestamp, secondsEast: number): ClockReading {
  const local = Number(floorDiv(timestamp.nanos, nanosPerSecond)) + secondsEast;
  const days = Math.floor(local / secondsPerDay);
  const second = local - days * secondsPerDay;
  const date = civilFromDays(days);
  return {
    ...date,
    dayOfYear: days - daysFromCivil({ year: date.year, month: 1, day: 1 }),
    dayOfWeek: (((days + 4) % 7) + 7) % 7, // 1970-01-01 was a Thursday
    hours: Math.floor(second / 3600),
    minutes: Math.floor(second / 60) % 60,
    seconds: second % 60,
  };
}

function pad(value: number, width: number): string {
  return String(value).padStart(width, "0");
}
