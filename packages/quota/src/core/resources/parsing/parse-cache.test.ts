import { describe, expect, it } from "vitest";
import { parseResourceClaim } from "../resource-claim.ts";
import { quotaApiVersion } from "../well-known.ts";
import { parseOnce } from "./parse-cache.ts";

describe("a cached parser", () => {
  const read: unknown[] = [];
  const parse = parseOnce<number>((value) => ({ ok: true, value: read.push(value) }));

  it("parses the same object once, and an equal object separately", () => {
    const [one, other] = [{ a: 1 }, { a: 1 }];
    expect(parse(one)).toBe(parse(one));
    expect(parse(other)).not.toBe(parse(one));
    expect(read).toEqual([one, other]);
  });

  it("does not cache values that are not objects", () => {
    read.length = 0;
    for (const value of ["text", "text", null, null]) parse(value);
    expect(read).toEqual(["text", "text", null, null]);
  });
});

describe("a claim", () => {
  const claim = (amount: number) => ({
    apiVersion: quotaApiVersion,
    kind: "ResourceClaim",
    metadata: { name: "a", namespace: "default" },
    spec: {
      consumerRef: { kind: "Namespace", name: "default" },
      requests: [{ resourceType: "core/configmaps", amount }],
    },
  });

  it("is parsed once", () => {
    const object = claim(1);
    expect(parseResourceClaim(object)).toBe(parseResourceClaim(object));
  });

  it("is compared with the object it replaces every time", () => {
    const object = claim(2);
    expect(parseResourceClaim(object).ok).toBe(true);
    expect(parseResourceClaim(object, claim(1)).ok).toBe(false);
    expect(parseResourceClaim(object, claim(2)).ok).toBe(true);
    expect(parseResourceClaim(object).ok).toBe(true);
  });
});
