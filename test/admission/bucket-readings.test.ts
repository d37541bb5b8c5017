import type { Reply, Transport } from "@milo-quota/kubernetes/client/transport/transport.ts";
import { FakeClock } from "@milo-quota/kubernetes/protocol/fake-clock.ts";
import { BucketReadings } from "@milo-quota/quota/admission/answers/bucket-readings.ts";
import { needsOf } from "@milo-quota/quota/admission/policies/needs.ts";
import { renderedClaim, request } from "@milo-quota/quota/test/claim-fixtures.ts";
import { planesOfServer } from "@milo-quota/quota/views/planes-of-server.ts";
import { afterEach, beforeEach, expect, it } from "vitest";
import { layout } from "./test-world.ts";

let clock: FakeClock;
let readings: BucketReadings;
let requested: string[];
let reported: string[];
let answer: (signal: AbortSignal) => Promise<Reply>;

const bucket = (allocated: number): Reply => ({
  code: 200,
  headers: { "content-type": "application/json" },
  body: JSON.stringify({
    apiVersion: "quota.miloapis.com/v1alpha1",
    kind: "AllowanceBucket",
    metadata: { name: "bucket", namespace: "default" },
    spec: { consumerRef: { kind: "Namespace", name: "default" }, resourceType: "core/configmaps" },
    status: { limit: 10, allocated, reserved: 1, available: 9 - allocated, claimCount: 0, grantCount: 0 },
  }),
});

beforeEach(() => {
  requested = [];
  reported = [];
  answer = async () => bucket(3);
  clock = new FakeClock(0);
  const network = {
    request: ({ path }: { path: string }, signal: AbortSignal) => {
      requested.push(path);
      return answer(signal);
    },
  } as unknown as Transport;
  const report = (_where: string, error: unknown) => reported.push(String(error));
  readings = new BucketReadings({ planes: planesOfServer(network, layout), clock, report });
});

afterEach(() => readings.stop());

const needs = (amount = 1) =>
  needsOf([{ plane: "root", claim: renderedClaim({ requests: [request("core/configmaps", amount)] }) }]);
const taken = (amount = 1) => needs(amount).map((need) => readings.afterTaking(need)?.allocated);
/** Lets pending promises settle. */
const turns = () => new Promise((resolve) => setImmediate(resolve));

it("reads a bucket once in two seconds and adds what requests take meanwhile", async () => {
  for (let at = 0; at < 5; at += 1) readings.start(needs());
  await turns();
  expect(taken()).toEqual([4n]);
  clock.advance(1_999);
  readings.start(needs());
  expect(taken(2)).toEqual([6n]);
  expect(requested).toHaveLength(1);
  expect(requested[0]).toMatch(
    /^\/apis\/quota.miloapis.com\/v1alpha1\/namespaces\/default\/allowancebuckets\/namespace-/,
  );
  clock.advance(1);
  answer = async () => bucket(8);
  readings.start(needs());
  await turns();
  expect(taken()).toEqual([9n]);
  expect(requested).toHaveLength(2);
});

it("returns nothing for a bucket that is still being read, and does not read it twice", async () => {
  let arrive = (_reply: Reply): void => undefined;
  answer = () =>
    new Promise((resolve) => {
      arrive = resolve;
    });
  readings.start(needs());
  expect(taken()).toEqual([undefined]);
  clock.advance(60_000);
  readings.start(needs());
  expect(requested).toHaveLength(1);
  arrive(bucket(3));
  await turns();
  expect(taken()).toEqual([undefined]); // a reading of a minute ago is stale
});

it("reports a failed reading and retries later, but not after a stop", async () => {
  answer = async () => Promise.reject(new Error("no route"));
  readings.start(needs());
  await turns();
  expect([taken(), reported]).toEqual([[undefined], ["Error: no route"]]);
  answer = (signal) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  clock.advance(2_000);
  readings.start(needs());
  readings.stop();
  await turns();
  expect(reported).toHaveLength(1);
});

it("caches at most a thousand buckets", async () => {
  const other = (at: number) =>
    needsOf([{ plane: "root", claim: renderedClaim({ requests: [request(`core/type-${at}`, 1)] }) }]);
  readings.start(needs());
  for (let at = 0; at < 1_000; at += 1) readings.start(other(at));
  await turns();
  expect(taken()).toEqual([undefined]);
  expect(other(999).map((need) => readings.afterTaking(need)?.allocated)).toEqual([4n]);
});
