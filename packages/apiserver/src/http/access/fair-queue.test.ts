import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { FakeClock } from "@milo-quota/kubernetes/protocol/fake-clock.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FairQueue, type FairQueueLimits, type Seat } from "./fair-queue.ts";

interface Request {
  readonly user: string;
  state: "waiting" | "seated" | "rejected" | "aborted" | "done";
  seat?: Seat;
  /** How many requests were seated before this one. */
  turn?: number;
}

/** A queue whose requests the test finishes. */
class Bench {
  readonly clock = new FakeClock();
  readonly queue: FairQueue;
  readonly never = new AbortController().signal;
  turns = 0;

  constructor(limits: Partial<FairQueueLimits>) {
    this.queue = new FairQueue(
      { seats: 1, seatsPerFlowMax: 100, waitingPerFlowMax: 10, waitingMax: 100, waitMsMax: 1_000, ...limits },
      this.clock,
    );
  }

  async send(user: string, signal = new AbortController().signal): Promise<Request> {
    const request: Request = { user, state: "waiting" };
    this.queue.take({ plane: "p", user }, signal).then(
      (seat) => Object.assign(request, { seat, state: "seated", turn: this.turns++ }),
      (error: unknown) => Object.assign(request, { state: error instanceof StatusError ? "rejected" : "aborted" }),
    );
    await settled();
    return request;
  }

  async finish(request: Request, tookMs = 0): Promise<void> {
    this.clock.advance(tookMs);
    request.state = "done";
    request.seat?.release();
    await settled();
  }
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
const statesOf = (requests: readonly Request[]) => requests.map((request) => request.state).join(" ");

describe("the fair queue", () => {
  it("seats as many requests as there are seats, and the next when one finishes", async () => {
    const bench = new Bench({ seats: 2 });
    const requests = [await bench.send("a"), await bench.send("b"), await bench.send("c")];
    expect(statesOf(requests)).toBe("seated seated waiting");
    await bench.finish(requests[0]!);
    expect(statesOf(requests)).toBe("done seated seated");
    expect(bench.queue.executing).toBe(2);
  });

  it("alternates between flows regardless of how many requests each has waiting", async () => {
    const bench = new Bench({});
    const first = await bench.send("flood");
    const flood = [];
    for (let index = 0; index < 5; index += 1) flood.push(await bench.send("flood"));
    const polite = await bench.send("polite");
    await bench.finish(first);
    expect(polite.state).toBe("seated");
    expect(statesOf(flood)).toBe("waiting waiting waiting waiting waiting");
  });

  it("schedules flows by work done, not by number of requests", async () => {
    const bench = new Bench({});
    const served: string[] = [];
    let running = await bench.send("start");
    const all: Request[] = [];
    for (let index = 0; index < 8; index += 1) all.push(await bench.send("slow"), await bench.send("quick"));
    await bench.finish(running);
    for (let turn = 0; turn < 8; turn += 1) {
      running = all.find((request) => request.state === "seated")!;
      served.push(running.user);
      await bench.finish(running, running.user === "slow" ? 30 : 4);
    }
    expect(served).toEqual(["slow", "quick", "quick", "quick", "quick", "quick", "quick", "quick"]);
  });

  it("counts work in flight: concurrent slow requests do not keep all seats", async () => {
    const bench = new Bench({ seats: 3, waitMsMax: 1_000_000 });
    const slow = [await bench.send("slow"), await bench.send("slow"), await bench.send("slow")];
    bench.clock.advance(100);
    const waitingSlow = await bench.send("slow");
    const quick = await bench.send("quick");
    await bench.finish(slow[0]!, 10);
    expect(quick.state).toBe("seated");
    expect(waitingSlow.state).toBe("waiting");
  });

  it("reserves seats that a single flow cannot take, so that another flow gets one immediately", async () => {
    const bench = new Bench({ seats: 4, seatsPerFlowMax: 3 });
    const flood = [];
    for (let index = 0; index < 5; index += 1) flood.push(await bench.send("flood"));
    expect(statesOf(flood)).toBe("seated seated seated waiting waiting");
    const other = await bench.send("other");
    expect(other.state).toBe("seated");
    await bench.finish(other);
    expect(statesOf(flood)).toBe("seated seated seated waiting waiting");
    await bench.finish(flood[0]!);
    expect(statesOf(flood)).toBe("done seated seated seated waiting");
  });

  it("gives an idle flow no credit", async () => {
    const bench = new Bench({});
    const hog = await bench.send("busy");
    const early = await bench.send("idle");
    await bench.finish(hog, 1_000 - 1);
    await bench.finish(early);
    const running = await bench.send("busy");
    const order: Request[] = [];
    for (let index = 0; index < 3; index += 1) order.push(await bench.send("idle"), await bench.send("busy"));
    await bench.finish(running);
    for (const _ of order) {
      const seated = order.find((request) => request.state === "seated")!;
      await bench.finish(seated, 1);
    }
    expect([...order].sort((left, right) => left.turn! - right.turn!).map((request) => request.user)).toEqual([
      "idle",
      "busy",
      "idle",
      "busy",
      "idle",
      "busy",
    ]);
  });

  it("separates planes: the same user in another plane is another flow", async () => {
    const bench = new Bench({ waitingPerFlowMax: 1 });
    await bench.send("a");
    await bench.send("a");
    expect((await bench.send("a")).state).toBe("rejected");
    const elsewhere = bench.queue.take({ plane: "other", user: "a" }, bench.never);
    elsewhere.catch(() => undefined);
    expect(bench.queue.waiting).toBe(2);
  });

  it("rejects requests of a flow with too many waiting, with Retry-After", async () => {
    const bench = new Bench({ waitingPerFlowMax: 2 });
    const flood = [];
    for (let index = 0; index < 4; index += 1) flood.push(await bench.send("flood"));
    expect(statesOf(flood)).toBe("seated waiting waiting rejected");
    await expect(bench.queue.take({ plane: "p", user: "flood" }, bench.never)).rejects.toMatchObject({
      status: {
        code: 429,
        reason: "TooManyRequests",
        message: "Too many requests, please try again later.",
        details: { retryAfterSeconds: 1 },
      },
    });
    expect((await bench.send("polite")).state).toBe("waiting");
  });

  it("drops a request of the longest queue in favor of a new flow", async () => {
    const bench = new Bench({ waitingMax: 3 });
    const flood = [];
    for (let index = 0; index < 4; index += 1) flood.push(await bench.send("flood"));
    const polite = await bench.send("polite");
    expect(statesOf(flood)).toBe("seated waiting waiting rejected");
    expect(polite.state).toBe("waiting");
    expect((await bench.send("flood")).state).toBe("rejected");
    expect(bench.queue.waiting).toBe(3);
  });

  it("rejects a request that waited too long", async () => {
    const bench = new Bench({ waitMsMax: 50 });
    const first = await bench.send("a");
    const second = await bench.send("b");
    bench.clock.advance(49);
    await settled();
    expect(second.state).toBe("waiting");
    bench.clock.advance(1);
    await settled();
    expect(second.state).toBe("rejected");
    await bench.finish(first);
    expect([bench.queue.executing, bench.queue.waiting, bench.queue.flows]).toEqual([0, 0, 0]);
  });

  it("drops a request whose client disconnects", async () => {
    const bench = new Bench({});
    const first = await bench.send("a");
    const client = new AbortController();
    const gone = await bench.send("b", client.signal);
    client.abort();
    await settled();
    expect(gone.state).toBe("aborted");
    expect(bench.queue.waiting).toBe(0);
    await bench.finish(first);
    expect(bench.queue.flows).toBe(0);
    expect((await bench.send("c", client.signal)).state).toBe("aborted");
    expect(bench.queue.flows).toBe(0);
  });

  it("frees a seat once when it is released repeatedly", async () => {
    const bench = new Bench({});
    const first = await bench.send("a");
    first.seat?.release();
    first.seat?.release();
    expect(bench.queue.executing).toBe(0);
  });

  it("leaves no timer behind", async () => {
    const bench = new Bench({});
    const first = await bench.send("a");
    const second = await bench.send("b");
    expect(bench.clock.waiting).toBe(1);
    await bench.finish(first);
    await bench.finish(second);
    expect(bench.clock.waiting).toBe(0);
  });

  it("delays a polite flow by at most one request of each flooder, for any request cost", async () => {
    const plan = fc.record({
      seats: fc.integer({ min: 1, max: 4 }),
      flooders: fc.integer({ min: 1, max: 4 }),
      costs: fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 20, maxLength: 60 }),
      politeEvery: fc.integer({ min: 1, max: 7 }),
    });
    await fc.assert(
      fc.asyncProperty(plan, async ({ seats, flooders, costs, politeEvery }) => {
        const bench = new Bench({ seats, waitMsMax: 1_000_000 });
        const all: Request[] = [];
        const flood = async () => {
          for (let index = 0; index < flooders; index += 1) {
            while (all.filter((one) => one.user === `f${index}` && one.state === "waiting").length < 5) {
              all.push(await bench.send(`f${index}`));
            }
          }
        };
        let polite: (Request & { since?: number }) | undefined;
        for (const [step, cost] of costs.entries()) {
          await flood();
          if (step % politeEvery === 0 && (polite === undefined || polite.state === "done")) {
            const since = bench.turns;
            polite = Object.assign(await bench.send("polite"), { since });
            all.push(polite);
          }
          const seated = all.filter((one) => one.state === "seated");
          await bench.finish(seated[step % seated.length]!, cost);
          expect((polite?.turn ?? bench.turns) - (polite?.since ?? 0)).toBeLessThanOrEqual(flooders);
          expect(bench.queue.executing).toBe(seats);
        }
        expect(all.find((one) => one.user === "polite")?.turn).toBeDefined();
      }),
      { numRuns: 40 },
    );
  });

  it("keeps its counters consistent under any order of arrivals, completions and disconnects", async () => {
    const step = fc.record({
      act: fc.constantFrom("send", "finish", "abort", "advance" as const),
      pick: fc.nat({ max: 30 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const bench = new Bench({ seats: 2, waitingPerFlowMax: 3, waitingMax: 6, waitMsMax: 40 });
        const sent: { request: Request; client: AbortController }[] = [];
        for (const { act, pick } of steps) {
          const chosen = sent[pick % Math.max(sent.length, 1)];
          if (act === "send") {
            const client = new AbortController();
            sent.push({ client, request: await bench.send(`u${pick % 4}`, client.signal) });
          } else if (act === "finish" && chosen?.request.state === "seated") await bench.finish(chosen.request, pick);
          else if (act === "abort") chosen?.client.abort();
          else bench.clock.advance(pick);
          await settled();
          const count = (state: Request["state"]) => sent.filter(({ request }) => request.state === state).length;
          expect(bench.queue.executing).toBe(count("seated"));
          expect(bench.queue.waiting).toBe(count("waiting"));
          expect(bench.clock.waiting).toBe(count("waiting"));
          expect(count("seated")).toBeLessThanOrEqual(2);
          expect(count("waiting") > 0 && count("seated") < 2).toBe(false);
        }
      }),
      { numRuns: 60 },
    );
  });
});
