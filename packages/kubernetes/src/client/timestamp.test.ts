import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { microTimeText, parseTime, timeText } from "./timestamp.ts";

/** Few seconds, so that they come again, and many, so that they are forgotten. */
const ms = fc.oneof(fc.integer({ min: 0, max: 5_000 }), fc.integer({ min: -1e12, max: 4e12 }));

describe("a time as text", () => {
  it("is that of its second, however often it was asked for", () => {
    fc.assert(
      fc.property(fc.array(ms, { maxLength: 50 }), (times) => {
        for (const time of times) {
          expect(parseTime(timeText(time))).toBe(Math.floor(time / 1_000) * 1_000);
          expect(parseTime(microTimeText(time))).toBe(time);
        }
      }),
    );
  });
});
