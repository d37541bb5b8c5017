import { describe, expect, it } from "vitest";
import { parseResourceClaim } from "../resource-claim.ts";
import { quotaApiVersion } from "../well-known.ts";
import { readOnce } from "./read-once.ts";

describe("a parser that reads each object once", () => {
  const read: unknown[] = [];
  const parse = readOnce<number>((value) => ({ ok: true, value: read.push(value) }));

  it("gives the same result for the same object, and reads an equal one by itself", () => {
    const [one, other] = [{ a: 1 }, { a: 1 }];
    expect(parse(one)).toBe(parse(one));
    expect(parse(other)).not.toBe(parse(one));
    expect(read).toEqual([one, other]);
  });

  it("reads what is no object each time", () => {
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

  it("is read once", () => {
    const object = claim(1);
    expect(parseResourceClaim(object)).toBe(parseResourceClaim(object));
  });

  it("is held against the one it replaces, each time", () => {
    const object = claim(2);
    expect(parseResourceClaim(object).ok).toBe(true);
    expect(parseResourceClaim(object, claim(1)).ok).toBe(false);
    expect(parseResourceClaim(object, claim(2)).ok).toBe(true);
    expect(parseResourceClaim(object).ok).toBe(true);
  });
});
