import fc from "fast-check";
import { expect, it } from "vitest";
import { managerOf } from "./manager-name.ts";
import { unixSeconds, utcText } from "./time-text.ts";

const managers: Record<string, [fieldManager: string, userAgent: string, manager: string]> = {
  "the name that the request gives": ["mine", "kubectl/v1", "mine"],
  "the program of the User-Agent": ["", "kubectl/v1.34.4 (linux/amd64) kubernetes/abc", "kubectl"],
  "a User-Agent without a version": ["", "curl", "curl"],
  "what can be printed of it": ["", "a\u0007b c\u00a0d/1", "ab cd"],
  "no more than 128 bytes of it": ["", "é".repeat(70), "é".repeat(64)],
  "nothing without a User-Agent": ["", "", ""],
};
for (const [name, [fieldManager, userAgent, manager]] of Object.entries(managers)) {
  it(`a manager is ${name}`, () => expect(managerOf(fieldManager, userAgent)).toBe(manager));
}

it("times go there and back", () => {
  fc.assert(
    fc.property(fc.integer({ min: -62_135_596_800, max: 253_402_300_799 }), (seconds) => {
      const text = utcText(seconds);
      expect(text).toBe(new Date(seconds * 1000).toISOString().replace(".000Z", "Z"));
      expect(unixSeconds(text)).toBe(seconds);
    }),
  );
});

it("times of other zones are the same moments", () => {
  expect(unixSeconds("1970-01-01T01:30:00+01:30")).toBe(0);
  expect(unixSeconds("1969-12-31T23:00:00.5-01:00")).toBe(0);
  expect(unixSeconds("1970-13-01T00:00:00Z")).toBeUndefined();
  expect(unixSeconds("soon")).toBeUndefined();
});
