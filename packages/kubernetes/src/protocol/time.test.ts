import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  formatMicroTime,
  formatTime,
  isCanonicalTime,
  isMicroTime,
  isTime,
  parseDateTime,
  parseTime,
  readTime,
} from "./time.ts";

/** Few seconds, so that they repeat, and many, so that they are evicted. */
const ms = fc.oneof(
  fc.integer({ min: 0, max: 5_000 }),
  fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 }),
);

describe("a time as text", () => {
  it("is formatted by its second, with or without the cache", () => {
    fc.assert(
      fc.property(fc.array(ms, { maxLength: 50 }), (times) => {
        for (const time of times) {
          const text = formatTime(time);
          expect(text).toBe(new Date(Math.floor(time / 1_000) * 1_000).toISOString().replace(".000Z", "Z"));
          expect(parseTime(text)).toBe(Math.floor(time / 1_000) * 1_000);
          expect(isCanonicalTime(text)).toBe(!text.includes("-02-29T"));
          expect(formatMicroTime(time)).toBe(new Date(time).toISOString().replace("Z", "000Z"));
          expect(parseTime(formatMicroTime(time))).toBe(time);
        }
      }),
    );
  });
});

describe("a time that Kubernetes parses", () => {
  const times: Record<string, [isTime: boolean, isMicroTime: boolean]> = {
    "2024-01-01T00:00:00Z": [true, false],
    "2024-01-01T0:00:00Z": [true, false],
    "2024-02-29T00:00:00Z": [true, false],
    "2023-02-29T00:00:00Z": [false, false],
    "2024-01-01T00:00:00.123456Z": [true, true],
    "2024-01-01T00:00:00.123456789-07:00": [true, false],
    "2024-13-01T00:00:00Z": [false, false],
    "2024-00-01T00:00:00.123456Z": [false, false],
    "2024-01-01T24:00:00Z": [false, false],
    "2024-01-01T00:60:00Z": [false, false],
    "2024-01-01T00:00:61Z": [false, false],
    "2024-01-01T00:00:00+24:60": [true, false],
    "2024-01-01T00:00:00+25:00": [false, false],
    "2024-01-01T00:00:00+00:61": [false, false],
    "2024-01-01T00:00:00Zx": [false, false],
    "2024-01-01 00:00:00Z": [false, false],
  };
  for (const [text, expected] of Object.entries(times)) {
    it(text, () => {
      expect([isTime(text), isMicroTime(text)]).toEqual(expected);
    });
  }
});

describe("a time of another zone", () => {
  const cases: Record<string, ReturnType<typeof readTime>> = {
    "1970-01-01T01:30:00+01:30": { seconds: 0, fraction: "" },
    "1969-12-31T23:00:00.5-01:00": { seconds: 0, fraction: "5" },
    "1970-01-01T1:00:00,25+01:00": { seconds: 0, fraction: "25" },
    "1970-13-01T00:00:00Z": undefined,
    soon: undefined,
  };
  for (const [text, time] of Object.entries(cases)) {
    it(`is the same instant: ${text}`, () => {
      expect(readTime(text)).toEqual(time);
    });
  }
});

describe("a date-time of a schema", () => {
  const second = Date.UTC(2026, 1, 28, 23, 59, 59);
  const cases: Record<string, number | undefined> = {
    "2026-02-28T23:59:59Z": second,
    "2026-02-28t23:59:59z": second,
    "2026-02-28T23:59:59.25Z": second + 250,
    "2026-02-28T23:59:59,123456789Z": second + 123,
    "2026-02-28T23:59:59+00:30": second - 30 * 60_000,
    "2026-02-28T23:59:59-99:99": second + (99 * 60 + 99) * 60_000,
    "0050-01-01T00:00:00Z": -60_589_296_000_000,
    "2026-02-28": undefined,
    tomorrow: undefined,
  };
  for (const [text, ms] of Object.entries(cases)) {
    it(`is parsed from ${text}`, () => {
      expect(parseDateTime(text)).toBe(ms);
    });
  }
});
