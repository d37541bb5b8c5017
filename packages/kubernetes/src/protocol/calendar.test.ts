import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { civilFromDays, daysFromCivil, isCivilDate } from "./calendar.ts";

const dayMs = 86_400_000;
const days = fc.integer({ min: -719_162, max: 2_932_896 }); // 0001-01-01 to 9999-12-31

describe("the calendar", () => {
  it("agrees with JavaScript's", () => {
    fc.assert(
      fc.property(days, (day) => {
        const date = new Date(day * dayMs);
        const civil = { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
        expect(civilFromDays(day)).toEqual(civil);
        expect(daysFromCivil(civil)).toBe(day);
        expect(isCivilDate(civil)).toBe(true);
      }),
    );
  });

  it.each([
    [2023, 2, 29],
    [1900, 2, 29],
    [2024, 4, 31],
    [2024, 13, 1],
    [2024, 0, 1],
    [2024, 1, 0],
  ])("has no day %i-%i-%i", (year, month, day) => {
    expect(isCivilDate({ year, month, day })).toBe(false);
  });

  it.each([
    [2000, 2, 29],
    [2024, 2, 29],
    [2024, 12, 31],
  ])("has a day %i-%i-%i", (year, month, day) => {
    expect(isCivilDate({ year, month, day })).toBe(true);
  });
});
