import { beforeEach, describe, expect, it } from "vitest";
import { Fences } from "./fences.ts";

let fences: Fences;
beforeEach(() => {
  fences = new Fences();
});

const around = (uid: string): readonly string[] => [...fences.of(uid)].sort();

describe("fences of a claim", () => {
  it("are the buckets written since the first query for the claim", () => {
    fences.raise("cpu");
    expect(around("a")).toEqual([]);
    fences.raise("disk");
    fences.raise("cpu");
    expect(around("a")).toEqual(["cpu", "disk"]);
  });

  it("are kept for each claim by itself", () => {
    around("a");
    fences.raise("cpu");
    around("b");
    fences.raise("disk");
    expect([around("a"), around("b")]).toEqual([["cpu", "disk"], ["disk"]]);
  });

  it("do not hold once another writer may have written the bucket", () => {
    around("a");
    fences.raise("cpu");
    fences.raise("disk");
    fences.lower("cpu");
    expect(around("a")).toEqual(["disk"]);
    fences.raise("cpu");
    expect(around("a")).toEqual(["cpu", "disk"]);
  });

  it("are forgotten when the claim is decided, and start empty at the next query", () => {
    around("a");
    fences.raise("cpu");
    fences.drop("a");
    expect(around("a")).toEqual([]);
  });
});
