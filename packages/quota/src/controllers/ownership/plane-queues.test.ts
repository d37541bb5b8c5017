import { reconciled, requeueAfter } from "@milo-quota/kubernetes/client/queue/work-queue.ts";
import { FakeClock } from "@milo-quota/kubernetes/protocol/fake-clock.ts";
import { describe, expect, it } from "vitest";
import { PlaneQueues } from "./plane-queues.ts";

interface Key {
  readonly plane: number;
  readonly isWaiting: boolean;
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("plane queues", () => {
  it("are removed when idle, and keep keys that are due later", async () => {
    const clock = new FakeClock(0);
    const worked: number[] = [];
    const queues = new PlaneQueues<Key>({
      reconcile: async ({ plane, isWaiting }) => {
        worked.push(plane);
        return isWaiting && clock.now() < 60_000 ? requeueAfter(60_000) : reconciled;
      },
      idOf: ({ plane }) => String(plane),
      planesOf: ({ plane }) => String(plane),
      clock,
      random: { fraction: () => 0.5 },
      report: (error) => expect.fail(String(error)),
    });
    for (let plane = 0; plane < 1_000; plane += 1) {
      queues.add({ plane, isWaiting: plane < 10 });
      await turn();
    }
    expect(queues.size).toBeLessThan(100);
    worked.length = 0;
    clock.advance(60_000);
    await turn();
    expect(worked.sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    await queues.stop();
  });
});
