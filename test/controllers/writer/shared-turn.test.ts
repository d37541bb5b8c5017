import { expect, it } from "vitest";
import { SharedTurn } from "../../../src/controllers/writer/shared-turn.ts";

it("those who come in the same turn go on together, and the next ones after a turn of their own", async () => {
  const ends: (() => void)[] = [];
  const shared = new SharedTurn(() => new Promise((resolve) => ends.push(resolve)));
  const done: string[] = [];
  const come = async (name: string): Promise<void> => {
    await shared.over();
    done.push(name);
  };
  const first = [come("a"), come("b")];
  expect(ends).toHaveLength(1);
  ends[0]?.();
  await Promise.all(first);
  const last = come("c");
  expect([ends.length, done]).toEqual([2, ["a", "b"]]);
  ends[1]?.();
  await last;
  expect(done).toEqual(["a", "b", "c"]);
});

it("a turn that fails is told to those who waited for it, and to nobody else", async () => {
  const turns = [(): Promise<void> => Promise.reject(new Error("no turn")), (): Promise<void> => Promise.resolve()];
  const shared = new SharedTurn(() => (turns.shift() as () => Promise<void>)());
  await expect(shared.over()).rejects.toThrow("no turn");
  await shared.over();
});
