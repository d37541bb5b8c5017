import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TextTemplate } from "./text-template.ts";

/** Few words, so that many are equal; with quotes, spaces and separators. */
const word = fc.constantFrom(
  "",
  "a",
  "b",
  "uid-1",
  "uid-2",
  "\\",
  "\0",
  "\x01",
  "\x05",
  "\x1f",
  "\n",
  "é",
  "😀",
  "\ud800",
);
const text = fc.array(word, { minLength: 1, maxLength: 40 }).map((words) => words.join('"'));
const alike = fc
  .array(word, { minLength: 1, maxLength: 40 })
  .chain((words) => fc.tuple(...words.map((each) => fc.oneof({ weight: 3, arbitrary: fc.constant(each) }, word))))
  .map((words) => words.join('"'));

function formOf(first: string, ...others: readonly string[]): TextTemplate | undefined {
  return others.reduce<TextTemplate | undefined>((template, other) => template?.with(other), TextTemplate.of(first));
}

describe("a template", () => {
  it("restores exactly the texts that match it", () => {
    fc.assert(
      fc.property(fc.oneof(text, alike), fc.oneof(text, alike), fc.array(text), (first, second, others) => {
        const template = formOf(first, second);
        for (const each of [first, second, ...others]) {
          const entries = template?.valuesIn(each);
          if (template !== undefined && entries !== undefined) expect(template.fill(entries)).toBe(each);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  const plainWord = fc.constantFrom("", "a", "b", "uid-1", "uid-2", "\\", "é", "😀");
  const words = fc.array(fc.tuple(plainWord, plainWord, plainWord), { minLength: 1, maxLength: 60 });

  it("matches all texts that it was created from", () => {
    fc.assert(
      fc.property(words, (columns) => {
        const texts = [0, 1, 2].map((at) => columns.map((column) => column[at]).join('"'));
        const template = formOf(texts[0] as string, ...texts.slice(1));
        expect(texts.map((each) => template?.fill(template.valuesIn(each) as string))).toEqual(texts);
      }),
      { numRuns: 1_000 },
    );
  });

  const cases: Record<string, [made: readonly string[], text: string, entries: string | undefined]> = {
    "a word that differs": [['{"name":"a"}', '{"name":"b"}'], '{"name":"other"}', "other"],
    "separators between words": [['{"n":1,"m":2}', '{"n":7,"m":2}'], '{"n":50,"m":2}', ":50,"],
    "the end": [['{"n":1}', '{"n":2}'], '{"n":3}', ":3}"],
    "the same word again": [['{"a":"x1","b":"x1"}', '{"a":"x2","b":"x2"}'], '{"a":"x3","b":"x3"}', 'x3"\x01'],
    "two words that were equal": [['{"a":"x1","b":"x1"}', '{"a":"x2","b":"x2"}'], '{"a":"x3","b":"x4"}', 'x3"x4'],
    "another key": [['{"name":"a"}', '{"name":"b"}'], '{"uid":"a"}', undefined],
    "a longer text": [['{"name":"a"}', '{"name":"b"}'], '{"name":"a"} ', undefined],
    "more words": [['{"name":"a"}', '{"name":"b"}'], '{"name":"a","b":"c"}', undefined],
  };
  for (const [what, [made, given, entries]] of Object.entries(cases)) {
    it(`extracts the values to fill in: ${what}`, () => {
      const [first = "", ...others] = made;
      expect(formOf(first, ...others)?.valuesIn(given)).toBe(entries);
    });
  }
});
