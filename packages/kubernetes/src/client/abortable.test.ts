import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { abortable } from "./abortable.ts";

const enough = new Error("enough");
const broken = new Error("broken");

const cases: Record<string, [work: () => Promise<unknown>, abort: "never" | "before" | "during", comes: unknown]> = {
  "a promise that resolves": [async () => "done", "never", "done"],
  "a promise that rejects": [() => Promise.reject(broken), "never", broken],
  "a promise that never settles": [() => new Promise(() => undefined), "during", enough],
  "a promise that resolves in the turn of the abort": [async () => "done", "during", enough],
  "a promise that rejects in the turn of the abort": [() => Promise.reject(broken), "during", enough],
  "a promise created after the abort": [async () => "done", "before", enough],
  "a promise created after the abort that rejects": [() => Promise.reject(broken), "before", enough],
};

describe("awaiting a promise until a signal", () => {
  it.each(Object.entries(cases))("settles correctly for %s", async (_name, [work, abort, comes]) => {
    const life = new AbortController();
    if (abort === "before") life.abort(enough);
    const waited = abortable(work(), life.signal);
    if (abort === "during") life.abort(enough);
    expect(await waited.catch((error: unknown) => error)).toBe(comes);
    expect(getEventListeners(life.signal, "abort")).toEqual([]);
  });

  it.each([
    ["reports no promise that rejects before the abort", false, []],
    ["reports a promise that rejects after the abort", true, [broken]],
  ])("%s", async (_name, isAborted, lateErrors) => {
    const life = new AbortController();
    const late: unknown[] = [];
    let fail: (error: Error) => void = () => undefined;
    const work = new Promise((_resolve, reject) => {
      fail = reject;
    });
    const waited = abortable(work, life.signal, (error) => late.push(error));
    if (isAborted) life.abort(enough);
    fail(broken);
    await expect(waited).rejects.toBe(isAborted ? enough : broken);
    expect(late).toEqual(lateErrors);
  });
});
