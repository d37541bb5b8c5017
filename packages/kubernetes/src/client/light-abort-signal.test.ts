import { getEventListeners } from "node:events";
import { request } from "node:http";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ChildAbortController } from "./child-abort-controller.ts";
import { lightAbortController } from "./light-abort-controller.ts";
import { LightAbortSignal } from "./light-abort-signal.ts";

type Step = readonly ["add" | "remove", at: number] | readonly ["abort", at: number];

/** Each listener adds or removes another one, and records its call. */
function played(steps: readonly Step[], reactions: readonly Step[], life: Pick<AbortController, "signal" | "abort">) {
  const calls: string[] = [];
  const listeners = reactions.map((reaction, at) => {
    const listener = (): void => {
      calls.push(`${at} ${life.signal.aborted} ${String(life.signal.reason)}`);
      act(reaction);
    };
    return at % 2 === 0 ? listener : { handleEvent: listener };
  });
  const act = ([step, at]: Step): void => {
    const listener = listeners[at % listeners.length] as () => void;
    if (step === "add") life.signal.addEventListener("abort", listener, { once: true });
    else if (step === "remove") life.signal.removeEventListener("abort", listener);
    else life.abort(at);
  };
  for (const step of steps) act(step);
  return { calls, aborted: life.signal.aborted, reason: life.signal.reason as unknown };
}

const step = fc.tuple(fc.constantFrom("add" as const, "add" as const, "remove" as const, "abort" as const), fc.nat(6));
/** No listener is added meanwhile: Node calls those, against the standard. */
const reaction = fc.tuple(fc.constantFrom("remove" as const, "abort" as const), fc.nat(6));

describe("a light abort signal", () => {
  it("calls the listeners that a platform signal calls, in the same order", () => {
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 20 }),
        fc.array(reaction, { minLength: 1, maxLength: 7 }),
        (steps, reactions) => {
          expect(played(steps, reactions, lightAbortController())).toEqual(
            played(steps, reactions, new AbortController()),
          );
        },
      ),
      { numRuns: 500 },
    );
  });

  it("fires abort events only", () => {
    const signal = new LightAbortSignal();
    signal.addEventListener("other", () => expect.unreachable());
    signal.addEventListener("abort", null);
    signal.removeEventListener("abort", null);
    signal.throwIfAborted();
    let calls = 0;
    signal.onabort = () => {
      calls += 1;
    };
    signal.abort("over");
    signal.abort("again");
    expect([calls, signal.reason]).toEqual([1, "over"]);
    expect(() => signal.throwIfAborted()).toThrow("over");
  });

  it("aborts platform operations", async () => {
    const life = lightAbortController();
    const sent = request({ host: "127.0.0.1", port: 1, signal: life.signal });
    const failed = new Promise((resolve) => sent.once("error", resolve));
    life.abort(new Error("enough"));
    expect(await failed).toMatchObject({ name: "AbortError" });
  });
});

describe("a child of a signal", () => {
  it.each([
    ["a platform signal", () => new AbortController()],
    ["a light signal", lightAbortController],
  ])("of %s aborts with it, or alone", (_, parents) => {
    const parent = parents();
    const [ended, alone, released] = [1, 2, 3].map(() => new ChildAbortController(parent.signal)) as [
      ChildAbortController,
      ChildAbortController,
      ChildAbortController,
    ];
    alone.abort("alone");
    released.release();
    expect(parent.signal.aborted).toBe(false);
    parent.abort("all");
    expect([ended.signal.reason, alone.signal.reason, released.signal.aborted]).toEqual(["all", "alone", false]);
    expect(new ChildAbortController(parent.signal).signal.reason).toBe("all");
  });

  it("leaves no listeners on a longer-lived signal, for any number of children", () => {
    const warnings: unknown[] = [];
    const warned = (warning: unknown): unknown => warnings.push(warning);
    process.on("warning", warned);
    const parent = new AbortController();
    const children = Array.from({ length: 50 }, () => new ChildAbortController(parent.signal));
    for (const child of children) child.release();
    process.off("warning", warned);
    expect([getEventListeners(parent.signal, "abort"), warnings]).toEqual([[], []]);
  });
});
