import { startControlPlane } from "../test/real-kubernetes/control-plane.ts";
import { bundleServer, type EmbeddedTarget, startEmbeddedTarget } from "./apiserver/embedded-target.ts";
import { Creator, type Load, type Target } from "./apiserver/load.ts";
import { watchWith } from "./apiserver/watchers.ts";
import { median } from "./interleaved.ts";
import type { Figure } from "./run.ts";

const blocks = 5;
const blockMs = 2_000;
/** Lets the JIT compile the code before the measurement. */
const warmUpMs = 5_000;
const watcherCount = 1_000;
const watchedWrites = 200;

/** Compares the embedded server with kube-apiserver and etcd: same load, same machine, alternating blocks. */
export async function suite(): Promise<Figure[]> {
  await bundleServer();
  const [real, embedded] = [await startControlPlane(), await startEmbeddedTarget()];
  try {
    const idle = await embedded.state();
    const one = await compare(embedded, real, 1);
    const sixteen = await compare(embedded, real, 16);
    return [
      ...figures("1 client", one),
      ...figures("16 clients", sixteen),
      { name: "p99 event loop delay, 16 clients", value: sixteen.delayMs, unit: "ms", budget: "apiDelay" },
      { name: "memory of an idle server", value: idle.rssBytes / 2 ** 20, unit: "MiB", budget: "apiIdleMemory" },
      {
        name: "start until ready, bundled, empty data folder (median of 5)",
        value: await startMs(),
        unit: "ms",
        budget: "apiStart",
      },
      ...(await watched(embedded)),
    ];
  } finally {
    await Promise.all([real.stop(), embedded.stop()]);
  }
}

interface Comparison {
  readonly ours: Load;
  readonly theirs: Load;
  readonly throughput: number;
  readonly latency: number;
  readonly delayMs: number;
}

async function compare(embedded: EmbeddedTarget, real: Target, clients: number): Promise<Comparison> {
  const [ours, theirs] = [new Creator(embedded, clients), new Creator(real, clients)];
  await ours.run(warmUpMs);
  await theirs.run(warmUpMs);
  embedded.resetDelay();
  const rounds: (readonly [Load, Load])[] = [];
  for (let block = 0; block < blocks; block += 1) rounds.push([await ours.run(blockMs), await theirs.run(blockMs)]);
  const { p99Ms } = await embedded.state();
  await Promise.all([ours.close(), theirs.close()]);
  return {
    ours: medianOf(rounds.map(([own]) => own)),
    theirs: medianOf(rounds.map(([, other]) => other)),
    throughput: median(rounds.map(([own, other]) => own.perSecond / other.perSecond)),
    latency: median(rounds.map(([own, other]) => own.p50Ms / other.p50Ms)),
    delayMs: p99Ms,
  };
}

function medianOf(loads: readonly Load[]): Load {
  return {
    perSecond: median(loads.map(({ perSecond }) => perSecond)),
    p50Ms: median(loads.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(loads.map(({ p99Ms }) => p99Ms)),
  };
}

function figures(who: string, { ours, theirs, throughput, latency }: Comparison): Figure[] {
  return [
    { name: `creates of 1 KB, ${who}, embedded and durable`, value: ours.perSecond, unit: "/s" },
    { name: `creates of 1 KB, ${who}, kube-apiserver and etcd`, value: theirs.perSecond, unit: "/s" },
    { name: `throughput, ${who}`, value: throughput, unit: "x Kubernetes", budget: "apiThroughput" },
    { name: `p50, ${who}, embedded`, value: ours.p50Ms, unit: "ms" },
    { name: `p50, ${who}`, value: latency, unit: "x Kubernetes", budget: "apiLatency" },
  ];
}

async function startMs(): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < blocks; round += 1) {
    const server = await startEmbeddedTarget();
    times.push(server.readyMs);
    await server.stop();
  }
  return median(times);
}

/** All watchers receive all events in order, and their send buffers are bounded. */
async function watched(embedded: EmbeddedTarget): Promise<Figure[]> {
  const before = await embedded.state();
  const watchers = await watchWith(embedded, watcherCount);
  const creator = new Creator(embedded, 1, "kube-public");
  const started = performance.now();
  await creator.times(watchedWrites);
  await watchers.receive(watchedWrites);
  const seconds = (performance.now() - started) / 1_000;
  const after = await embedded.state();
  watchers.close();
  await creator.close();
  if (watchers.faults() > 0) throw new Error(`${watchers.faults()} events were lost or out of order`);
  const events = watchedWrites * watcherCount;
  return [
    { name: `events to ${watcherCount} watchers, complete and in order`, value: events / seconds, unit: "/s" },
    {
      name: `memory of ${watcherCount} watchers`,
      value: (after.rssBytes - before.rssBytes) / 2 ** 20,
      unit: "MiB",
      budget: "apiWatchMemory",
    },
  ];
}
