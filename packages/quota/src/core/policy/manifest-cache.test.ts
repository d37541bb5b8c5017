import { describe, expect, it } from "vitest";
import { amountMax, amountOf } from "../resources/fields/amount.ts";
import { dimensionKey } from "../resources/fields/dimensions.ts";
import type { ClaimRequest } from "../resources/resource-claim.ts";
import { consumerManifest, requestsManifest } from "./manifest-cache.ts";

const request = (resourceType: string, amount: number | bigint, dimensions = {}): ClaimRequest => ({
  resourceType,
  amount: amountOf(amount),
  dimensions,
  dimensionKey: dimensionKey(dimensions),
});
const acme = { apiGroup: "resourcemanager.miloapis.com", kind: "Organization", namespace: "", name: "acme" };

describe("the manifest cache", () => {
  it("fills in all defaults", () => {
    expect(requestsManifest([request("x/y", 3), request("x/z", amountMax, { b: "2", a: "1" })])).toEqual([
      { resourceType: "x/y", amount: 3 },
      { resourceType: "x/z", amount: 9223372036854775807n, dimensions: { a: "1", b: "2" } },
    ]);
    expect(consumerManifest(acme)).toEqual({ apiGroup: acme.apiGroup, kind: "Organization", name: "acme" });
  });

  it("returns the identical frozen value for equal parts", () => {
    const [one, other] = [1, 2].map(() => requestsManifest([request("x/y", 1, { a: "1" })]));
    expect(one).toBe(other);
    expect(consumerManifest({ ...acme })).toBe(consumerManifest(acme));
    for (const part of [one, one?.[0], one?.[0]?.["dimensions"], consumerManifest(acme)]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
  });

  it("returns another value for different parts", () => {
    const lists = [
      [request("x/y", 1)],
      [request("x/y", 2)],
      [request("x/z", 1)],
      [request("x/y", 1, { a: "1" })],
      [request("x/y", 1, { a: "2" })],
      [request("x/y", 1), request("x/z", 1)],
      [request("x/z", 1), request("x/y", 1)],
    ];
    expect(new Set(lists.map(requestsManifest)).size).toBe(lists.length);
    const others = [acme, { ...acme, name: "b" }, { ...acme, kind: "b" }, { ...acme, apiGroup: "" }];
    expect(new Set([...others, { ...acme, namespace: "b" }].map(consumerManifest)).size).toBe(5);
  });

  it("is bounded", () => {
    const first = consumerManifest(acme);
    for (let at = 0; at < 2_000; at += 1) consumerManifest({ ...acme, name: `other-${at}` });
    expect(consumerManifest(acme)).not.toBe(first);
    expect(consumerManifest(acme)).toEqual(first);
  });
});
