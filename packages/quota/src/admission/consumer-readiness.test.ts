import { resourceForbidden, resourceNotFound, StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { FakeClock } from "@milo-quota/kubernetes/protocol/fake-clock.ts";
import { describe, expect, it } from "vitest";
import type { Figures } from "../core/ledger/type-ledger.ts";
import type { RenderedClaim } from "../core/policy/claim-policy.ts";
import type { ControlPlanes } from "../views/control-planes.ts";
import type { Rejection } from "./answers/rejection.ts";
import { unknownUsage } from "./answers/usage-view.ts";
import { ConsumerReadiness } from "./consumer-readiness.ts";
import type { NewConsumers } from "./new-consumers.ts";

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
const terminating = new StatusError({
  ...resourceForbidden({ group: "", resource: "resourceclaims" }, "one", "it is being deleted"),
  details: { causes: [{ reason: "NamespaceTerminating", message: "it is being deleted" }] },
});

/** Advances the clock until the work is settled; returns the elapsed time. */
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

async function runInNamespace({
  namespace = "team-red",
  ageMs,
  fails,
  untilMs,
}: Case): Promise<readonly [string, number]> {
  const clock = new FakeClock();
  const newConsumers: NewConsumers = { ageMs: async () => ageMs, hasGrantPolicyFor: () => false };
  const readiness = new ConsumerReadiness({ planes, clock, newConsumers });
  const work = readiness
    .withNamespace(claimIn(namespace), signal, async () => {
      if (clock.now() < untilMs) throw fails;
      return "done";
    })
    .catch((error: StatusError | Rejection) => `${error.status.code} ${error.message}`);
  const tookMs = await passTime(clock, work);
  return [await work, tookMs];
}

describe("the namespace of a consumer", () => {
  it("exists for most consumers, which wait for nothing", async () => {
    expect(await runInNamespace({ ageMs: 0, fails: missing("team-red"), untilMs: 0 })).toEqual(["done", 0]);
  });

  it("is awaited when it is missing or terminating, and the consumer exists", async () => {
    for (const fails of [missing("team-red"), terminating]) {
      const [result, tookMs] = await runInNamespace({ ageMs: 60_000, fails, untilMs: 1_000 });
      expect(result).toBe("done");
      expect(tookMs).toBeLessThan(1_300);
    }
  });

  it("that is not created in time leaves the request to be retried", async () => {
    const [result, tookMs] = await runInNamespace({ ageMs: 0, fails: missing("team-red"), untilMs: 60_000 });
    expect(result).toBe(
      '503 quota could not be decided: namespace "team-red" of Team "red" does not exist yet; try again',
    );
    expect(tookMs).toBeGreaterThanOrEqual(5_000);
    expect(tookMs).toBeLessThan(5_500);
  });

  it("is not awaited when there is no such consumer, or a policy names another namespace", async () => {
    const [unknown] = [await runInNamespace({ fails: missing("team-red"), untilMs: 60_000 })];
    expect(unknown).toEqual([expect.stringMatching(/^404 /), 0]);
    const elsewhere = await runInNamespace({ namespace: "other", ageMs: 0, fails: missing("other"), untilMs: 60_000 });
    expect(elsewhere).toEqual([expect.stringMatching(/^404 /), 0]);
  });
});

describe("the first grant of a consumer", () => {
  const figures = (limit: bigint) => ({ limit }) as unknown as Figures;

  async function wait(grantedAtMs: number, ageMs: number | undefined, hasGrantPolicyFor = true): Promise<number> {
    const clock = new FakeClock();
    const newConsumers: NewConsumers = { ageMs: async () => ageMs, hasGrantPolicyFor: () => hasGrantPolicyFor };
    const usage = { ...unknownUsage, figuresOf: () => (clock.now() >= grantedAtMs ? figures(3n) : figures(0n)) };
    const granted = new ConsumerReadiness({ planes, clock, usage, newConsumers }).untilGranted(
      claimIn("team-red"),
      signal,
    );
    return granted === undefined ? 0 : passTime(clock, granted);
  }

  it("is awaited while the consumer is new and a policy grants quota to its kind", async () => {
    expect(await wait(0, 0)).toBe(0);
    expect(await wait(100, 0)).toBeLessThan(250);
    expect(await wait(60_000, 2_000)).toBeLessThan(1_300);
  });

  it("is not awaited otherwise", async () => {
    expect(await wait(60_000, 3_000)).toBe(0);
    expect(await wait(60_000, undefined)).toBe(0);
    expect(await wait(60_000, 0, false)).toBe(0);
  });
});
