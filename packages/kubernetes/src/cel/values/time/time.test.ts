import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Failure } from "../failure.ts";
import { Duration, Timestamp } from "../value.ts";
import { formatDuration, parseDuration } from "./durations.ts";
import { secondsEast } from "./time-zone.ts";
import { clockAt, formatTimestamp, parseTimestamp } from "./timestamps.ts";

function nanosOf(value: Timestamp | Duration | Failure): bigint | string {
  return value instanceof Failure ? value.message : value.nanos;
}

describe("timestamps", () => {
  const nanos = fc.bigInt({ min: -62_135_596_800_000_000_000n, max: 253_402_300_799_999_999_999n });

  it("read back what they write", () => {
    fc.assert(
      fc.property(nanos, (of) => {
        expect(nanosOf(parseTimestamp(formatTimestamp(new Timestamp(of))))).toBe(of);
      }),
    );
  });

  it("have the calendar fields of JavaScript dates", () => {
    fc.assert(
      fc.property(nanos, fc.integer({ min: -50_000, max: 50_000 }), (of, east) => {
        const { dayOfYear, ...clock } = clockAt(new Timestamp(of), east);
        const date = new Date(Number(of / 1_000_000n) - (of % 1_000_000n < 0n ? 1 : 0) + east * 1000);
        expect(clock).toEqual({
          year: date.getUTCFullYear(),
          month: date.getUTCMonth() + 1,
          day: date.getUTCDate(),
          dayOfWeek: date.getUTCDay(),
          hours: date.getUTCHours(),
          minutes: date.getUTCMinutes(),
          seconds: date.getUTCSeconds(),
        });
        expect(dayOfYear).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  const rejected = [
    ...["", "2024-01-01", "2024-01-01T00:00:00", "2024-01-01 00:00:00Z", "2024-1-1T00:00:00Z", "24-01-01T00:00:00Z"],
    ...["2024-01-01T24:00:00Z", "2024-01-01T00:60:00Z", "2024-01-01T00:00:60Z", "2024-01-01T00:00:00.Z"],
    ...["2024-01-01T00:00:00+25:00", "2024-01-01T00:00:00+0100", "10000-01-01T00:00:00Z", "2024-02-30T00:00:00Z"],
  ];
  it.each(rejected)("are not read from %j", (text) => {
    expect(parseTimestamp(text)).toBeInstanceOf(Failure);
  });

  const read: Record<string, string> = {
    "2024-01-01T00:00:00+01:30": "2023-12-31T22:30:00Z",
    "2024-01-01T00:00:00-00:01": "2024-01-01T00:01:00Z",
    "2024-01-01T00:00:00+24:00": "2023-12-31T00:00:00Z",
    "2024-01-01T00:00:00.1234567891234Z": "2024-01-01T00:00:00.123456789Z",
    "2024-01-01T00:00:00,5Z": "2024-01-01T00:00:00.5Z",
  };
  it.each(Object.entries(read))("are read from %s as %s", (text, canonical) => {
    const timestamp = parseTimestamp(text);
    expect(timestamp instanceof Failure ? timestamp.message : formatTimestamp(timestamp)).toBe(canonical);
  });
});

describe("durations", () => {
  it("read back what they write", () => {
    const nanos = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    fc.assert(
      fc.property(nanos, (of) => {
        expect(nanosOf(parseDuration(formatDuration(new Duration(of))))).toBe(of);
      }),
    );
  });

  const table: Record<string, bigint> = {
    "0": 0n,
    "-0": 0n,
    "1h2m3s4ms5us6ns": 3_723_004_005_006n,
    "1h1h": 7_200_000_000_000n,
    "+.5s": 500_000_000n,
    "1.s": 1_000_000_000n,
    "0.1ns": 0n,
    "-1.5h": -5_400_000_000_000n,
  };
  it.each(Object.entries(table))("are read from %s as %s", (text, nanos) => {
    expect(nanosOf(parseDuration(text))).toBe(nanos);
  });

  it.each(["", "1", "s", ".s", "1 s", "1d", "1h-1m", "--1s", "1hs", "9".repeat(200)])(
    "are not read from %j",
    (text) => {
      expect(parseDuration(text)).toBeInstanceOf(Failure);
    },
  );
});

describe("time zones", () => {
  const moment = new Timestamp(1_720_000_000_000_000_000n); // 2024-07-03
  const table: Record<string, number> = {
    UTC: 0,
    "": 0,
    "+05:30": 19_800,
    "05:30": 19_800,
    "+5:30": 19_800,
    "europe/BERLIN": 7_200,
    "-09:30": -34_200,
    "Europe/Berlin": 7_200,
    "Asia/Kathmandu": 20_700,
    "America/St_Johns": -9_000,
    "Etc/GMT+5": -18_000,
  };
  it.each(Object.entries(table))("of %j have an offset of %i seconds", (zone, seconds) => {
    expect(secondsEast(moment, zone)).toBe(seconds);
  });

  it("follow daylight saving time", () => {
    expect(secondsEast(new Timestamp(1_704_067_200_000_000_000n), "Europe/Berlin")).toBe(3_600);
  });

  it.each(["Nowhere/City", "+1:0", "+15:00", "+05:60", "Z5", "x".repeat(100), "../etc/passwd"])(
    "do not include %j",
    (zone) => {
      expect(secondsEast(moment, zone)).toBeInstanceOf(Failure);
    },
  );

  it("are cached, up to a limit", () => {
    for (let count = 0; count < 200; count += 1) secondsEast(moment, `Nowhere/${count}`);
    expect(secondsEast(moment, "Europe/Berlin")).toBe(7_200);
  });
});
