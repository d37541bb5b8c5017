import { forbiddenTo, resourceNotFound, StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { FakeClock } from "@milo-quota/kubernetes/protocol/fake-clock.ts";
import { describe, expect, it } from "vitest";
import type { Figures } from "../core/ledger/type-ledger.ts";
import type { RenderedClaim } from "../core/policy/claim-policy.ts";
import type { ControlPlanes } from "../views/control-planes.ts";
import type { Refused } from "./answers/refusals.ts";
import { unknownUsage } from "./answers/usage-view.ts";
import type { Newcomers } from "./newcomers.ts";
import { Provision } from "./provision.ts";

const { signal } = new AbortController();
const consumer = { apiGroup: "example.com", kind: "Team", namespace: "", name: "red" };
const planes = { bucketNamespace: () => "team-red" } as unknown as ControlPlanes;

const claimIn = (namespace: string) => ({
  plane: "root",
  claim: {
    namespace,
    name: "one",
    consumer,
    requests: [{ resourceType: "example.com/seats" }],
  } as unknown as RenderedClaim,
});

const missing = (name: string) => new StatusError(resourceNotFound({ group: "", resource: "namespaces" }, name));
const going = new StatusError({
  ...forbiddenTo({ group: "", resource: "resourceclaims" }, "one", "it is going"),
  details: { causes: [{ reason: "NamespaceTerminating", message: "it is going" }] },
});

/** Lets time pass as long as something waits for it; gives how much of it passed. */
async function passTime(clock: FakeClock, work: Promise<unknown>): Promise<number> {
  let isOver = false;
  const end = (): void => {
    isOver = true;
  };
  work.then(end, end);
  while (!isOver) {
    await new Promise((resolve) => setImmediate(resolve));
    if (!isOver && clock.waiting > 0) clock.advance(10);
  }
  return clock.now();
}

interface Case {
  readonly namespace?: string;
  readonly ageMs?: number;
  readonly fails: StatusError;
  readonly untilMs: number;
}

async function place({ namespace = "team-red", ageMs, fails, untilMs }: Case): Promise<readonly [string, number]> {
  const clock = new FakeClock();
  const newcomers: Newcomers = { ageMs: async () => ageMs, areGranted: () => false };
  const provision = new Provision({ planes, clock, newcomers });
  const work = provision
    .placed(claimIn(namespace), signal, async () => {
      if (clock.now() < untilMs) throw fails;
      return "done";
    })
    .catch((error: StatusError | Refused) => `${error.status.code} ${error.message}`);
  const tookMs = await passTime(clock, work);
  return [await work, tookMs];
}

describe("the namespace of a consumer", () => {
  it("is there for most, and nobody waits", async () => {
    expect(await place({ ageMs: 0, fails: missing("team-red"), untilMs: 0 })).toEqual(["done", 0]);
  });

  it("is waited for when it is missing, or going, and the consumer is there", async () => {
    for (const fails of [missing("team-red"), going]) {
      const [result, tookMs] = await place({ ageMs: 60_000, fails, untilMs: 1_000 });
      expect(result).toBe("done");
      expect(tookMs).toBeLessThan(1_300);
    }
  });

  it("that does not come in time may come later", async () => {
    const [result, tookMs] = await place({ ageMs: 0, fails: missing("team-red"), untilMs: 60_000 });
    expect(result).toBe(
      '503 quota could not be decided: namespace "team-red" of Team "red" is not there yet; try again',
    );
    expect(tookMs).toBeGreaterThanOrEqual(5_000);
    expect(tookMs).toBeLessThan(5_500);
  });

  it("is not waited for when there is no such consumer, or a policy names another one", async () => {
    const [nobody] = [await place({ fails: missing("team-red"), untilMs: 60_000 })];
    expect(nobody).toEqual([expect.stringMatching(/^404 /), 0]);
    const elsewhere = await place({ namespace: "other", ageMs: 0, fails: missing("other"), untilMs: 60_000 });
    expect(elsewhere).toEqual([expect.stringMatching(/^404 /), 0]);
  });
});

describe("the first grant of a consumer", () => {
  const figures = (limit: bigint) => ({ limit }) as unknown as Figures;

  async function wait(grantedAtMs: number, ageMs: number | undefined, areGranted = true): Promise<number> {
    const clock = new FakeClock();
    const newcomers: Newcomers = { ageMs: async () => ageMs, areGranted: () => areGranted };
    const usage = { ...unknownUsage, figuresOf: () => (clock.now() >= grantedAtMs ? figures(3n) : figures(0n)) };
    const granted = new Provision({ planes, clock, usage, newcomers }).granted(claimIn("team-red"), signal);
    return granted === undefined ? 0 : passTime(clock, granted);
  }

  it("is waited for while the consumer is new and policies give something to its kind", async () => {
    expect(await wait(0, 0)).toBe(0);
    expect(await wait(100, 0)).toBeLessThan(250);
    expect(await wait(60_000, 2_000)).toBeLessThan(1_300);
  });

  it("is not waited for otherwise", async () => {
    expect(await wait(60_000, 3_000)).toBe(0);
    expect(await wait(60_000, undefined)).toBe(0);
    expect(await wait(60_000, 0, false)).toBe(0);
  });
});
