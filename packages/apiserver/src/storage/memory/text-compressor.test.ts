import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CompressedText, TextCompressor } from "./text-compressor.ts";

const fields = { apiVersion: "example.com/v1", kind: "Example", padding: "x".repeat(1_000) };

function alike(at: number): string {
  const uid = `7d0f3d0a-95b5-4a31-9d6f-${String(at).padStart(12, "0")}`;
  return JSON.stringify({ ...fields, metadata: { name: `example-${at}`, uid, generation: at % 3 }, owner: uid });
}

function texts(count: number, textAt: (at: number) => string): string[] {
  return Array.from({ length: count }, (_, at) => textAt(at));
}

function random(length: number, seed: number): string {
  let state = seed + 1;
  const next = (): number => {
    state = (state * 48_271) % 0x7fffffff;
    return state;
  };
  return Array.from({ length }, () => next().toString(36))
    .join("")
    .slice(0, length);
}

function isShort(short: string | CompressedText): boolean {
  return short instanceof CompressedText;
}

function read(short: string | CompressedText): string {
  return typeof short === "string" ? short : short.text;
}

describe("compressed texts", () => {
  it("decompress to the original, with the original length", () => {
    const made = fc.array(
      fc.record({
        resource: fc.constantFrom("a", "b"),
        value: fc.json({ maxDepth: 2 }),
        shape: fc.constantFrom({ one: 1 }, { one: "1", two: ["2"] }, {}),
      }),
      { maxLength: 80 },
    );
    fc.assert(
      fc.property(made, (all) => {
        const shorts = new TextCompressor();
        for (const [at, { resource, value, shape }] of all.entries()) {
          const text = JSON.stringify({ ...fields, ...shape, at, value });
          const short = shorts.of(resource, text);
          expect(read(short)).toBe(text);
          expect(short.length).toBe(text.length);
        }
      }),
    );
  });

  it("are created for similar texts, after a few of them", () => {
    const shorts = new TextCompressor();
    const made = texts(100, (at) => alike(at)).map((text) => shorts.of("examples", text));
    expect(made.slice(0, 8).some(isShort)).toBe(false);
    expect(made.filter(isShort).length).toBeGreaterThan(80);
    expect(made.map(read)).toEqual(texts(100, (at) => alike(at)));
  });

  it("are created for alternating shapes", () => {
    const shorts = new TextCompressor();
    const swapped = (at: number) =>
      at % 2 === 0 ? alike(at) : JSON.stringify({ more: [at], ...JSON.parse(alike(at)) });
    const made = texts(200, swapped).map((text) => shorts.of("examples", text));
    expect(made.filter(isShort).length).toBeGreaterThan(150);
  });

  it.each([
    ["are not created for texts that are too short", (at: number) => JSON.stringify({ at, text: "x".repeat(400) })],
    ["are not created for texts that are too long", (at: number) => JSON.stringify({ at, text: "x".repeat(20_000) })],
    [
      "are not created for texts with little in common",
      (at: number) => JSON.stringify({ ...fields, padding: random(1_000, at) }),
    ],
    [
      "are not created for texts with nothing in common",
      (at: number) => JSON.stringify({ [random(300, at)]: random(300, at + 1) }),
    ],
  ])("are not made of texts that %s", (_, textAt) => {
    const shorts = new TextCompressor();
    const made = texts(200, textAt).map((text) => shorts.of("examples", text));
    expect(made).toEqual(texts(200, textAt));
  });

  it("are created again after texts with nothing in common", () => {
    const shorts = new TextCompressor();
    for (const text of texts(500, (at) => random(1_000, at))) shorts.of("examples", text);
    const made = texts(3_000, alike).map((text) => shorts.of("examples", text));
    expect(made.slice(-1_000).every(isShort)).toBe(true);
  });
});
