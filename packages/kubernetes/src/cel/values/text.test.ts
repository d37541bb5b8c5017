import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { codePointsOf, compareText, indexOfText, lastIndexOfText, sliceText, textLength } from "./text.ts";

/** Texts with plain characters, emoji, lone surrogates and the end of the basic plane. */
const text = fc.string({
  unit: fc.constantFrom("a", "b", "é", "😀", "😁", "\uffff", "\ud83d", "\ude00"),
  maxLength: 8,
});

/** The reference implementation: an array of code points. */
const points = (of: string) => Array.from(of);

function indexOfPoints(whole: string[], part: string[], from: number): number {
  for (let at = from; at + part.length <= whole.length; at += 1) {
    if (part.every((point, index) => whole[at + index] === point)) return at;
  }
  return -1;
}

describe("strings by code points", () => {
  it("have the length of their code point array", () => {
    fc.assert(
      fc.property(text, (whole) => {
        expect(textLength(whole)).toBe(points(whole).length);
      }),
    );
    fc.assert(
      fc.property(text, (whole) => {
        expect(codePointsOf(whole)).toEqual(points(whole));
      }),
    );
  });

  it("are sliced like their code point array", () => {
    fc.assert(
      fc.property(text, fc.nat(8), fc.nat(8), (whole, one, two) => {
        const [start, end] = [Math.min(one, two), Math.max(one, two)].map((at) => Math.min(at, points(whole).length));
        expect(sliceText(whole, start as number, end as number)).toBe(points(whole).slice(start, end).join(""));
      }),
    );
  });

  it("are searched like their code point array", () => {
    const part = fc.string({
      unit: fc.constantFrom("a", "é", "😀", "\uffff", "\ud83d", "\ude00"),
      minLength: 1,
      maxLength: 2,
    });
    fc.assert(
      fc.property(text, part, fc.nat(8), (whole, wanted, at) => {
        const from = Math.min(at, points(whole).length);
        const all = points(whole).map((_, index) => indexOfPoints(points(whole), points(wanted), index));
        expect(indexOfText(whole, wanted, from)).toBe(indexOfPoints(points(whole), points(wanted), from));
        const last = Math.max(-1, ...all.filter((index) => index <= from));
        expect(lastIndexOfText(whole, wanted, from)).toBe(last);
      }),
    );
  });

  it("are ordered by code points", () => {
    const slow = (left: string, right: string) => {
      const [one, two] = [points(left), points(right)].map((all) => all.map((point) => point.codePointAt(0) as number));
      const at = (one as number[]).findIndex((point, index) => point !== two?.[index]);
      if (at < 0) return Math.sign((one?.length ?? 0) - (two?.length ?? 0));
      return (two?.[at] ?? -1) < (one?.[at] as number) ? 1 : -1;
    };
    const wellFormed = text.filter((of) => !/\p{Surrogate}/u.test(of));
    fc.assert(
      fc.property(wellFormed, wellFormed, (left, right) => {
        expect(compareText(left, right)).toBe(slow(left, right));
      }),
    );
  });
});
