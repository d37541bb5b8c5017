import { durationType, intType, stringType, timestampType } from "../cel-type.ts";
import { Failure } from "../values/failure.ts";
import { floorMod } from "../values/time/floor.ts";
import { isOffset, secondsEast } from "../values/time/time-zone.ts";
import { type ClockReading, clockAt, nanosPerSecond } from "../values/time/timestamps.ts";
import type { Duration, Outcome, Timestamp } from "../values/value.ts";
import { callCost } from "./costs.ts";
import { type FunctionDeclaration, method, type Overload } from "./library.ts";

type Read = (clock: ClockReading, timestamp: Timestamp) => number;

/** A timestamp accessor, in UTC or in a named zone. */
function ofTimestamp(read: Read): [Overload, Overload] {
  const at = (timestamp: Timestamp, zone: string): Outcome => {
    const east = secondsEast(timestamp, zone);
    return east instanceof Failure ? east : BigInt(read(clockAt(timestamp, east), timestamp));
  };
  return [
    method([timestampType], intType, (timestamp) => at(timestamp, "UTC"), callCost),
    method([timestampType, stringType], intType, at, zoneCost),
  ];
}

/** Named zones have to be looked up, and unknown names take long. */
function zoneCost(_: Timestamp, zone: string): number {
  return isOffset(zone) ? 1 : 60;
}

/** A duration accessor: the number of whole units. */
function ofDuration(nanosPerUnit: bigint): Overload {
  return method([durationType], intType, (duration: Duration) => duration.nanos / nanosPerUnit, callCost);
}

const milliseconds: Read = (_, { nanos }) => Number(floorMod(nanos, nanosPerSecond) / 1_000_000n);

const moment = 'timestamp("2009-02-13T23:31:30.5Z")';

export const timeFunctions: readonly FunctionDeclaration[] = [
  {
    name: "getFullYear",
    overloads: ofTimestamp((clock) => clock.year),
    summary: "The year; every accessor takes an optional time zone, UTC by default.",
    example: `${moment}.getFullYear() == 2009`,
  },
  {
    name: "getMonth",
    overloads: ofTimestamp((clock) => clock.month - 1),
    summary: "The month, from 0.",
    example: `${moment}.getMonth() == 1`,
  },
  {
    name: "getDate",
    overloads: ofTimestamp((clock) => clock.day),
    summary: "The day of the month, from 1.",
    example: `${moment}.getDate("Australia/Sydney") == 14`,
  },
  {
    name: "getDayOfMonth",
    overloads: ofTimestamp((clock) => clock.day - 1),
    summary: "The day of the month, from 0.",
    example: `${moment}.getDayOfMonth() == 12`,
  },
  {
    name: "getDayOfWeek",
    overloads: ofTimestamp((clock) => clock.dayOfWeek),
    summary: "The day of the week, from 0 for Sunday.",
    example: `${moment}.getDayOfWeek() == 5`,
  },
  {
    name: "getDayOfYear",
    overloads: ofTimestamp((clock) => clock.dayOfYear),
    summary: "The day of the year, from 0.",
    example: `${moment}.getDayOfYear() == 43`,
  },
  {
    name: "getHours",
    overloads: [...ofTimestamp((clock) => clock.hours), ofDuration(3_600n * nanosPerSecond)],
    summary: "The hour of the day, or the hours of a duration.",
    example: `${moment}.getHours("+01:00") == 0 && duration("90m").getHours() == 1`,
  },
  {
    name: "getMinutes",
    overloads: [...ofTimestamp((clock) => clock.minutes), ofDuration(60n * nanosPerSecond)],
    summary: "The minute of the hour, or the minutes of a duration.",
    example: `${moment}.getMinutes() == 31 && duration("1h").getMinutes() == 60`,
  },
  {
    name: "getSeconds",
    overloads: [...ofTimestamp((clock) => clock.seconds), ofDuration(nanosPerSecond)],
    summary: "The second of the minute, or the seconds of a duration.",
    example: `${moment}.getSeconds() == 30 && duration("1m").getSeconds() == 60`,
  },
  {
    name: "getMilliseconds",
    overloads: [...ofTimestamp(milliseconds), ofDuration(1_000_000n)],
    summary: "The milliseconds of the second, or the milliseconds of a duration.",
    example: `${moment}.getMilliseconds() == 500 && duration("1.5s").getMilliseconds() == 1500`,
  },
];
