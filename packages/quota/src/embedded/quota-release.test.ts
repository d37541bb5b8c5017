import type { StoredObject } from "@milo-quota/apiserver/storage/stored-object.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { describe, expect, it } from "vitest";
import { isQuotaRelease } from "./quota-release.ts";

const large = 2n ** 62n;

function stored(plural: string, status: JsonObject): StoredObject {
  const key = { plane: "root", resource: `${plural}.quota.miloapis.com`, namespace: "a", name: "b" };
  return { key, object: { metadata: { name: "b", resourceVersion: "7" }, status } } as unknown as StoredObject;
}

function isRelease(plural: string, before: JsonObject, after: JsonObject, metadata: JsonObject = {}): boolean {
  return isQuotaRelease(stored(plural, before), { metadata: { name: "b", ...metadata }, status: after });
}

const bucket = (allocated: number | bigint, reserved = 0, claimCount = 1) => ({ allocated, reserved, claimCount });
const claim = (...amounts: number[]) => ({ allocations: amounts.map((allocatedAmount) => ({ allocatedAmount })) });

describe("quota is released", () => {
  const buckets: Record<string, [before: JsonObject, after: JsonObject, isRelease: boolean]> = {
    "by a lower bucket": [bucket(5), bucket(4), true],
    exactly: [bucket(large), bucket(large - 1n), true],
    "by a reservation that goes": [bucket(5, 2), bucket(5, 1), true],
    "by a reservation that becomes an allocation": [bucket(5, 2), bucket(7, 0), true],
    "by a claim of nothing that goes": [bucket(5, 0, 2), bucket(5, 0, 1), true],
    "not by a higher bucket": [bucket(5), bucket(6), false],
    "not by a new reservation": [bucket(5), bucket(4, 2), false],
    "not by a bucket that stays as it is": [bucket(5), bucket(5), false],
    "not by a first status": [{}, bucket(0, 0, 0), false],
  };
  it.each(Object.entries(buckets))("%s", (_, [before, after, expected]) => {
    expect(isRelease("allowancebuckets", before, after)).toBe(expected);
  });

  const claims: Record<string, [before: JsonObject, after: JsonObject, isRelease: boolean]> = {
    "by a claim that holds less": [claim(3, 1), claim(2, 1), true],
    "not by a claim that holds less of one and more of another": [claim(3, 1), claim(2, 2), false],
    "not by a grant": [{}, claim(1), false],
    "not by a claim that stays as it is": [claim(3), claim(3), false],
  };
  it.each(Object.entries(claims))("%s", (_, [before, after, expected]) => {
    expect(isRelease("resourceclaims", before, after)).toBe(expected);
  });

  it("not by a write that also changes a label", () => {
    expect(isRelease("allowancebuckets", bucket(5), bucket(4), { labels: { a: "b" } })).toBe(false);
  });

  it("not by other kinds", () => {
    expect(isRelease("resourcegrants", bucket(5), bucket(4))).toBe(false);
  });
});
