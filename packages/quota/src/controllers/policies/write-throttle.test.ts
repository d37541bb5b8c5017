import { expect, it } from "vitest";
import { WriteThrottle } from "./write-throttle.ts";

/** Writes whenever it is allowed, and returns the times of the writes. */
function writesOf(durationMs: number): readonly number[] {
  let nowMs = 0;
  const throttle = new WriteThrottle(() => nowMs);
  const times: number[] = [];
  while (nowMs < durationMs) {
    const waitMs = throttle.waitMs("a");
    if (waitMs === 0) times.push(nowMs);
    else nowMs += waitMs;
  }
  return times;
}

it("delays a person who undoes a grant again and again hardly, and another controller more and more", () => {
  expect(writesOf(20_000)).toEqual([0, 0, 0, 0, 0, 500, 1_500, 3_500, 7_500, 15_500]);
  expect(writesOf(60_000).slice(-3)).toEqual([35_500, 45_500, 55_500]);
});

it("forgets writes after a minute without any, and keeps keys apart", () => {
  let nowMs = 0;
  const throttle = new WriteThrottle(() => nowMs);
  for (let at = 0; at < 5; at += 1) expect(throttle.waitMs("a")).toBe(0);
  expect(throttle.waitMs("a")).toBe(500);
  expect(throttle.waitMs("b")).toBe(0);
  nowMs = 60_000;
  expect(throttle.waitMs("a")).toBe(0);
});
