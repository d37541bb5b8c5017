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

const reconcile = async (name: string): Promise<void> => {
  await turns.beginReconcile();
  order.push(name);
};

describe("turns of a consumer", () => {
  it("are free at first, and again after every turn", async () => {
    expect([turns.isFree, turns.isReconciling]).toEqual([true, false]);
    await turns.beginReconcile();
    expect([turns.isFree, turns.isReconciling]).toEqual([false, true]);
    turns.end();
    turns.beginTransaction();
    expect([turns.isFree, turns.isReconciling]).toEqual([false, false]);
    turns.end();
    expect([turns.isFree, turns.isReconciling]).toEqual([true, false]);
  });

  it("have a reconcile wait until a transaction is over", async () => {
    turns.beginTransaction();
    const waiting = reconcile("reconcile");
    await microtasks();
    expect(order).toEqual([]);
    turns.end();
    await waiting;
    expect([order, turns.isReconciling]).toEqual([["reconcile"], true]);
  });

  it("go to one reconcile at a time, however many wait", async () => {
    turns.beginTransaction();
    const waiting = [reconcile("a"), reconcile("b"), reconcile("c")];
    turns.end();
    await microtasks();
    expect(order).toEqual(["a"]);
    turns.end();
    await microtasks();
    turns.end();
    await Promise.all(waiting);
    expect(order).toEqual(["a", "b", "c"]);
  });

  it("throw if a transaction begins while they are taken: the caller has to check first", async () => {
    await turns.beginReconcile();
    expect(() => turns.beginTransaction()).toThrow("a reconcile holds the lock");
    turns.end();
    turns.beginTransaction();
    expect(() => turns.beginTransaction()).toThrow("a transaction holds the lock");
  });

  it("resolve `over` at the end of the current turn, not of the next", async () => {
    await turns.over;
    await turns.beginReconcile();
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
