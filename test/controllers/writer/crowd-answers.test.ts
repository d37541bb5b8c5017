import { describe, expect, it } from "vitest";
import { FakeClock } from "../../../src/apiserver/storage/fake-clock.ts";
import { CrowdAnswers } from "../../../src/controllers/writer/crowd-answers.ts";
import { Promises } from "../../../src/controllers/writer/promises.ts";
import { UnderWay } from "../../../src/controllers/writer/under-way.ts";
import { reserve } from "./claims.ts";

const firstPlace = { takenBack: 3 };

/** A batch of claims, of which those are known to their waiters whose names begin with "known". */
function batchOf(uids: readonly string[], { fail = [] as readonly string[] } = {}) {
  const clock = new FakeClock(0);
  const life = new AbortController();
  const given: [string, unknown][] = [];
  const commit = async (uid: string, after?: unknown): Promise<void> => {
    given.push([uid, after]);
    if (fail.includes(uid)) throw new Error(`${uid} cannot be answered`);
  };
  const promises = new Promises(
    uids.map((uid) => reserve(uid, "cpu")),
    (uid) => uid.startsWith("known"),
  );
  const underWay = new UnderWay();
  const failures: string[] = [];
  const failed = (): unknown => failures.push("told");
  const crowd = new CrowdAnswers({ promises, answers: { commit }, underWay, clock, failed }, life.signal);
  return { clock, life, given, promises, crowd, underWay, failures };
}

const eight = Array.from({ length: 8 }, (_, at) => `known-${at}`);

describe("answers to many claims whose promises have their place", () => {
  it("are given in the next turn, before the promises are durable, each after the first of these places", async () => {
    const { clock, given, promises, crowd, underWay } = batchOf(eight);
    promises.stands("cpu");
    crowd.ordered(firstPlace);
    crowd.ordered({ takenBack: 4 });
    await Promise.resolve();
    expect([given, eight.every((uid) => underWay.has(uid))]).toEqual([[], true]);
    clock.advance(0);
    await underWay.over();
    expect([underWay.isNothing, underWay.has("known-0")]).toEqual([true, false]);
    expect(given).toEqual(eight.map((uid) => [uid, firstPlace]));
  });

  it("are left to others when they are few, or when somebody waits for the answers themselves", async () => {
    const { clock, given, promises, crowd, underWay } = batchOf([...eight.slice(1), "awaited"]);
    promises.stands("cpu");
    crowd.ordered(firstPlace);
    expect(underWay.isNothing).toBe(true);
    clock.advance(0);
    await underWay.over();
    expect(given).toEqual([]);
  });

  it("are all tried, and the failure of one is told once", async () => {
    const { clock, given, promises, crowd, underWay, failures } = batchOf(eight, { fail: ["known-2"] });
    promises.stands("cpu");
    crowd.ordered(firstPlace);
    clock.advance(0);
    await expect(underWay.over()).rejects.toThrow("known-2 cannot be answered");
    expect([given.length, failures, underWay.isNothing, underWay.hasFailed]).toEqual([8, ["told"], true, false]);
    await underWay.over();
  });

  it("are not given any more by a writer that ends", async () => {
    const { clock, life, given, promises, crowd, underWay } = batchOf(eight);
    promises.stands("cpu");
    crowd.ordered(firstPlace);
    life.abort(new Error("the lease is lost"));
    clock.advance(0);
    await expect(underWay.over()).rejects.toThrow("the lease is lost");
    expect(given).toEqual([]);
  });
});
