import type { Reply, Transport } from "@milo-quota/kubernetes/client/transport/transport.ts";
import { FakeClock } from "@milo-quota/kubernetes/protocol/fake-clock.ts";
import { BucketReadings } from "@milo-quota/quota/admission/answers/bucket-readings.ts";
import { needsOf } from "@milo-quota/quota/admission/policies/needs.ts";
import { request, wanted } from "@milo-quota/quota/test/made-claims.ts";
import { planesOfServer } from "@milo-quota/quota/views/planes-of-server.ts";
import { afterEach, beforeEach, expect, it } from "vitest";
import { layout } from "./served-world.ts";

let clock: FakeClock;
let readings: BucketReadings;
let asked: string[];
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
  asked = [];
  reported = [];
  answer = async () => bucket(3);
  clock = new FakeClock(0);
  const network = {
    request: ({ path }: { path: string }, signal: AbortSignal) => {
      asked.push(path);
      return answer(signal);
    },
  } as unknown as Transport;
  const report = (_where: string, error: unknown) => reported.push(String(error));
  readings = new BucketReadings({ planes: planesOfServer(network, layout), clock, report });
});

afterEach(() => readings.stop());

const needs = (amount = 1) =>
  needsOf([{ plane: "root", claim: wanted({ requests: [request("core/configmaps", amount)] }) }]);
const taken = (amount = 1) => needs(amount).map((need) => readings.taken(need)?.allocated);
/** What is under way gets its turns. */
const turns = () => new Promise((resolve) => setImmediate(resolve));

it("a bucket is read once for all who come in two seconds, and what they take is counted", async () => {
  for (let at = 0; at < 5; at += 1) readings.begin(needs());
  await turns();
  expect(taken()).toEqual([4n]);
  clock.advance(1_999);
  readings.begin(needs());
  expect(taken(2)).toEqual([6n]);
  expect(asked).toHaveLength(1);
  expect(asked[0]).toMatch(/^\/apis\/quota.miloapis.com\/v1alpha1\/namespaces\/default\/allowancebuckets\/namespace-/);
  clock.advance(1);
  answer = async () => bucket(8);
  readings.begin(needs());
  await turns();
  expect(taken()).toEqual([9n]);
  expect(asked).toHaveLength(2);
});

it("nothing is said of a bucket that is not read yet, and a slow one is not asked again", async () => {
  let arrive = (_reply: Reply): void => undefined;
  answer = () =>
    new Promise((resolve) => {
      arrive = resolve;
    });
  readings.begin(needs());
  expect(taken()).toEqual([undefined]);
  clock.advance(60_000);
  readings.begin(needs());
  expect(asked).toHaveLength(1);
  arrive(bucket(3));
  await turns();
  expect(taken()).toEqual([undefined]); // who knows what happened in a minute
});

it("what cannot be read is reported, and read again later; nobody hears of it who stops", async () => {
  answer = async () => Promise.reject(new Error("no way there"));
  readings.begin(needs());
  await turns();
  expect([taken(), reported]).toEqual([[undefined], ["Error: no way there"]]);
  answer = (signal) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  clock.advance(2_000);
  readings.begin(needs());
  readings.stop();
  await turns();
  expect(reported).toHaveLength(1);
});

it("no more than a thousand buckets are kept in mind", async () => {
  const other = (at: number) =>
    needsOf([{ plane: "root", claim: wanted({ requests: [request(`core/type-${at}`, 1)] }) }]);
  readings.begin(needs());
  for (let at = 0; at < 1_000; at += 1) readings.begin(other(at));
  await turns();
  expect(taken()).toEqual([undefined]);
  expect(other(999).map((need) => readings.taken(need)?.allocated)).toEqual([4n]);
});
