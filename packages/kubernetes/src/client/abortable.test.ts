import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { abortable } from "./abortable.ts";

const enough = new Error("enough");
const broken = new Error("broken");

const cases: Record<string, [work: () => Promise<unknown>, abort: "never" | "before" | "during", comes: unknown]> = {
  "work that is done": [async () => "done", "never", "done"],
  "work that fails": [() => Promise.reject(broken), "never", broken],
  "work that never ends": [() => new Promise(() => undefined), "during", enough],
  "work that is done in the same turn": [async () => "done", "during", enough],
  "work that fails in the same turn": [() => Promise.reject(broken), "during", enough],
  "work that begins too late": [async () => "done", "before", enough],
  "work that begins too late, and fails": [() => Promise.reject(broken), "before", enough],
};

describe("waiting for work until a signal", () => {
  it.each(Object.entries(cases))("comes to the right end with %s", async (_name, [work, abort, comes]) => {
    const life = new AbortController();
    if (abort === "before") life.abort(enough);
    const waited = abortable(work(), life.signal);
    if (abort === "during") life.abort(enough);
    expect(await waited.catch((error: unknown) => error)).toBe(comes);
    expect(getEventListeners(life.signal, "abort")).toEqual([]);
  });

  it.each([
    ["hears nothing of work that fails before it", false, []],
    ["hears of work that fails after it", true, [broken]],
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
