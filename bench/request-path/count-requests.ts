import { ApiClient } from "../program/api-client.ts";
import { setUpQuota } from "../program/set-up-quota.ts";
import { StartedProgram } from "../program/started-program.ts";
import { CallCounter } from "./call-counter.ts";
import { type CallCounts, callsOfRequest, totalCalls } from "./call-counts.ts";
import { limits, type RequestCase, useUp } from "./request-cases.ts";

const warmUpCount = 300;
const inARowCount = 300;
const aloneCount = 7;
/** By then a request is answered and informers have its events. Deferred writes come a second later. */
const answerMs = 400;
/** Deferred writes end within 1.4 s. Two such periods are shorter than the 4 s for which a client keeps a connection. */
const deferredMs = 1_400;

export interface RequestCalls {
  /** Calls of one request on an idle system, until informers have its events. */
  readonly alone: CallCounts;
  /** Calls of its deferred writes of displayed totals, which consecutive requests share. */
  readonly deferred: CallCounts;
  /** Calls for each of many consecutive requests. */
  readonly eachInARow: number;
}

/** Starts a program and counts the calls of a request in it. */
export async function countCalls(program: string, request: RequestCase): Promise<RequestCalls> {
  const started = await StartedProgram.start(program, { inspect: true });
  const client = new ApiClient(started.target);
  try {
    if (request.quota) {
      await setUpQuota(client, limits);
      await useUp(client);
    }
    const counter = await CallCounter.start(program, started.inspectorUrl ?? "");
    try {
      return await countWarm(client, counter, request);
    } finally {
      await counter.close();
    }
  } finally {
    await client.close();
    await started.stop();
  }
}

async function countWarm(client: ApiClient, counter: CallCounter, request: RequestCase): Promise<RequestCalls> {
  for (let at = 0; at < warmUpCount; at += 1) await request.send(client, `warm-up-${at}`);
  await rest(answerMs + deferredMs);
  await counter.take();
  for (let at = 0; at < inARowCount; at += 1) await request.send(client, `in-a-row-${at}`);
  await rest(answerMs + deferredMs);
  const eachInARow = totalCalls(await counter.take()) / inARowCount;
  return { eachInARow, ...(await countAlone(client, counter, request)) };
}

/** Alternates periods with and without a request, so that timers are in both. */
async function countAlone(
  client: ApiClient,
  counter: CallCounter,
  request: RequestCase,
): Promise<Pick<RequestCalls, "alone" | "deferred">> {
  const idle = new Periods();
  const withRequest = new Periods();
  for (let at = 0; at < aloneCount; at += 1) {
    await counter.take();
    await idle.count(counter);
    await request.send(client, `alone-${at}`);
    await withRequest.count(counter);
    await request.check?.(client, `alone-${at}`);
  }
  return {
    alone: callsOfRequest(withRequest.first, idle.first),
    deferred: callsOfRequest(withRequest.second, idle.second),
  };
}

/** Counts of two consecutive periods: of the answer and of the deferred writes. */
class Periods {
  readonly first: CallCounts[] = [];
  readonly second: CallCounts[] = [];

  async count(counter: CallCounter): Promise<void> {
    await rest(answerMs);
    this.first.push(await counter.take());
    await rest(deferredMs);
    this.second.push(await counter.take());
  }
}

function rest(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
