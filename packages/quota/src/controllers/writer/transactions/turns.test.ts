import { beforeEach, describe, expect, it } from "vitest";
import { Turns } from "./turns.ts";

let turns: Turns;
let order: string[];
beforeEach(() => {
  turns = new Turns();
  order = [];
});

const microtasks = async (): Promise<void> => {
  for (let at = 0; at < 10; at += 1) await Promise.resolve();
};

const round = async (name: string): Promise<void> => {
  await turns.beginRound();
  order.push(name);
};

describe("turns of a consumer", () => {
  it("are free at first, and again after every turn", async () => {
    expect([turns.isFree, turns.isInRound]).toEqual([true, false]);
    await turns.beginRound();
    expect([turns.isFree, turns.isInRound]).toEqual([false, true]);
    turns.end();
    turns.beginTransaction();
    expect([turns.isFree, turns.isInRound]).toEqual([false, false]);
    turns.end();
    expect([turns.isFree, turns.isInRound]).toEqual([true, false]);
  });

  it("have a round wait for a transaction, and go on when that is over", async () => {
    turns.beginTransaction();
    const waiting = round("round");
    await microtasks();
    expect(order).toEqual([]);
    turns.end();
    await waiting;
    expect([order, turns.isInRound]).toEqual([["round"], true]);
  });

  it("are given to one round at a time, however many wait", async () => {
    turns.beginTransaction();
    const waiting = [round("a"), round("b"), round("c")];
    turns.end();
    await microtasks();
    expect(order).toEqual(["a"]);
    turns.end();
    await microtasks();
    turns.end();
    await Promise.all(waiting);
    expect(order).toEqual(["a", "b", "c"]);
  });

  it("are not given to a transaction while they are another's: the caller has to look first", async () => {
    await turns.beginRound();
    expect(() => turns.beginTransaction()).toThrow("it is the turn of a round");
    turns.end();
    turns.beginTransaction();
    expect(() => turns.beginTransaction()).toThrow("it is the turn of a transaction");
  });

  it("tell those who wait for the end of the turn that is on, and not of the next", async () => {
    await turns.over;
    await turns.beginRound();
    const first = turns.over.then(() => order.push("first is over"));
    turns.end();
    turns.beginTransaction();
    const second = turns.over.then(() => order.push("second is over"));
    await first;
    await microtasks();
    expect(order).toEqual(["first is over"]);
    turns.end();
    await second;
    expect(order).toEqual(["first is over", "second is over"]);
  });
});
