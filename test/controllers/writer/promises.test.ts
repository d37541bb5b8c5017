import { describe, expect, it } from "vitest";
import { Promises } from "../../../src/controllers/writer/promises.ts";
import { type Reserve, reserve } from "./claims.ts";

function promises(...reserved: readonly Reserve[]) {
  const told: string[] = [];
  const made = new Promises(reserved, (uid) => {
    told.push(uid);
    return uid !== "unknown";
  });
  return { made, told };
}

describe("the promises of a batch", () => {
  it("are told once all pages of a claim have them, and once only", () => {
    const { made, told } = promises(reserve("one", "cpu"), reserve("both", "cpu", "disk"));
    made.stands("cpu");
    expect(told).toEqual(["one"]);
    made.stands("disk");
    made.stands("cpu");
    made.stands("disk");
    expect(told).toEqual(["one", "both"]);
  });

  it("are known to those who waited, if anybody did", () => {
    const { made } = promises(reserve("one", "cpu"), reserve("unknown", "cpu"), reserve("late", "disk"));
    made.stands("cpu");
    expect(["one", "unknown", "late"].map((uid) => made.isKnown(uid))).toEqual([true, false, false]);
    expect(made.known).toEqual(["one"]);
  });

  it("are complete on the pages that were written, whatever was told before", () => {
    const { made } = promises(reserve("one", "cpu"), reserve("both", "cpu", "disk"));
    made.stands("cpu");
    made.stands("disk");
    expect(made.completeOn(new Set(["cpu"]))).toEqual(["one"]);
    expect(made.completeOn(new Set(["cpu", "disk"]))).toEqual(["one", "both"]);
  });
});
