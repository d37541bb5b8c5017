import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeBase64, encodeBase64 } from "./base64.ts";
import { decodeUtf8, encodeUtf8 } from "./utf8.ts";

const bytes = fc.uint8Array({ maxLength: 40 });

describe("UTF-8", () => {
  it("is encoded as by other encoders", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect([...encodeUtf8(text)]).toEqual([...Buffer.from(text)]);
      }),
    );
  });

  it("is decoded as by strict decoders", () => {
    const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    const slow = (of: Uint8Array) => {
      try {
        return strict.decode(of);
      } catch {
        return undefined;
      }
    };
    fc.assert(
      fc.property(bytes, (of) => {
        expect(decodeUtf8(of)).toBe(slow(of));
      }),
    );
    const tricky = fc.array(
      fc.constantFrom(0x41, 0x80, 0xbf, 0xc1, 0xc3, 0xe0, 0xed, 0xa0, 0xf0, 0x90, 0xf4, 0xf5, 0xff),
    );
    fc.assert(
      fc.property(tricky, (of) => {
        expect(decodeUtf8(Uint8Array.from(of))).toBe(slow(Uint8Array.from(of)));
      }),
    );
  });
});

describe("base64", () => {
  it("is encoded as by other encoders, and decoded with or without padding", () => {
    fc.assert(
      fc.property(bytes, (of) => {
        const text = Buffer.from(of).toString("base64");
        expect(encodeBase64(of)).toBe(text);
        expect(decodeBase64(text)).toEqual(of);
        expect(decodeBase64(text.replaceAll("=", ""))).toEqual(of);
      }),
    );
  });
});
