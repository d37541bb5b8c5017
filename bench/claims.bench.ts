import { freemem } from "node:os";
import { bundleQuota, type Connected, type Measured, QuotaChild } from "./claims/quota-child.ts";
import { median } from "./interleaved.ts";
import type { Figure, Suite } from "./run.ts";

const blocks = 5;
const blockMs = 1_500;
/** Lets the JIT compile the code before the measurement. */
const warmUp = { clients: 64, durationMs: 1_000, countMin: 15_000 };
const manyConsumers = 1_000;
const history = 100_000;
/** Takes about 4 GB and some minutes. */
const longHistory = 1_000_000;
const longHistoryBytes = 8 * 2 ** 30;

/** Claims on the embedded server, durable, from the create until the client observes the decision. */
export const suite: Suite = async () => {
  await bundleQuota();
  return [...(await hotBucket()), ...(await manyBuckets()), ...(await withHistory())];
};

/** All clients claim from one bucket, compared with a server without controllers that only stores the claims. */
async function hotBucket(): Promise<Figure[]> {
  const raw = await QuotaChild.start({ controllers: false, consumers: 1, history: 0 });
  const quota = await QuotaChild.start({ controllers: true, consumers: 1, history: 0 });
  await quota.runInside({ ...warmUp, until: "decided" });
  await raw.runInside({ ...warmUp, until: "created" });
  const figures: Figure[] = [];
  for (const clients of [1, 16, 64, 256]) {
    const deciding = await quota.connect(clients, "decided");
    const creating = await raw.connect(clients, "created");
    const [decided, created] = await alternateConnected(deciding, creating);
    figures.push(...hotFigures(clients, decided, created));
  }
  figures.push(...(await inside(quota, raw)));
  await Promise.all([raw.stop(), quota.stop()]);
  return figures;
}

function hotFigures(clients: number, decided: readonly Measured[], created: readonly Measured[]): Figure[] {
  const who = clients === 1 ? "1 client" : `${clients} clients`;
  return [
    { name: `claims decided, one bucket, ${who}`, value: medianOf(decided, "perSecond"), unit: "/s" },
    { name: `p50 of a decided claim, ${who}`, value: medianOf(decided, "p50Ms"), unit: "ms" },
    { name: `creates of claims without controllers, ${who}`, value: medianOf(created, "perSecond"), unit: "/s" },
    {
      name: `claims decided, against creates without controllers, ${who}`,
      value: ratioOf(decided, created, "perSecond"),
      unit: "x raw",
      ...(clients === 64 ? { budget: "claimsAgainstRaw" as const } : {}),
    },
    {
      name: `CPU time of the server, a create against a decided claim, ${who}`,
      value: ratioOf(created, decided, "cpuMsEach"),
      unit: "x",
    },
    {
      name: `durable writes for each decision, ${who}`,
      value: medianOf(decided, "writesEach"),
      unit: "writes",
      ...(clients === 1 ? { budget: "claimWritesSingle" as const } : {}),
      ...(clients === 64 ? { budget: "claimWritesConcurrent" as const } : {}),
    },
  ];
}

/** Clients in the process of the server need no sockets, which shows the cost of the decision alone. */
async function inside(quota: QuotaChild, raw: QuotaChild): Promise<Figure[]> {
  const work = { clients: 64 } as const;
  const [decided, created] = await alternate(
    (durationMs) => quota.runInside({ ...work, durationMs, until: "decided" }),
    (durationMs) => raw.runInside({ ...work, durationMs, until: "created" }),
  );
  const share = ratioOf(decided, created, "perSecond");
  return [
    { name: "claims decided, clients in the same process, 64", value: medianOf(decided, "perSecond"), unit: "/s" },
    { name: "the same, against creates without controllers", value: share, unit: "x raw" },
    { name: "CPU time of a decided claim", value: medianOf(decided, "cpuMsEach") * 1_000, unit: "µs" },
    { name: "CPU time of a create", value: medianOf(created, "cpuMsEach") * 1_000, unit: "µs" },
  ];
}

async function manyBuckets(): Promise<Figure[]> {
  const hot = await QuotaChild.start({ controllers: true, consumers: 1, history: 0 });
  const many = await QuotaChild.start({ controllers: true, consumers: manyConsumers, history: 0 });
  for (const child of [hot, many]) await child.runInside({ ...warmUp, until: "decided" });
  const [spread, together] = await alternateConnected(
    await many.connect(64, "decided"),
    await hot.connect(64, "decided"),
  );
  await Promise.all([hot.stop(), many.stop()]);
  return [
    { name: "claims decided, 1,000 buckets, 64 clients", value: medianOf(spread, "perSecond"), unit: "/s" },
    { name: "durable writes for each decision, 1,000 buckets", value: medianOf(spread, "writesEach"), unit: "writes" },
    {
      name: "claims decided, against one bucket",
      value: ratioOf(spread, together, "perSecond"),
      unit: "x one bucket",
      budget: "claimsManyBuckets",
    },
  ];
}

/** One bucket with 100,000 claims granted before, and with a million if there is enough memory. */
async function withHistory(): Promise<Figure[]> {
  const young = await QuotaChild.start({ controllers: true, consumers: 1, history: 0 });
  const old = await QuotaChild.start({ controllers: true, consumers: 1, history });
  await young.runInside({ ...warmUp, until: "decided" });
  const memoryPerClaim = (old.started.heapBytes - young.started.heapBytes) / history;
  const figures: Figure[] = [
    { ...(await growth(young, old, "100,000 claims granted before")), budget: "claimGrowth" },
    {
      name: "memory of the controllers for each granted claim",
      value: memoryPerClaim,
      unit: "bytes",
      budget: "claimMemory",
    },
    ...startFigures(old, "100,000 claims"),
  ];
  await old.stop();
  if (freemem() > longHistoryBytes) figures.push(...(await withLongHistory(young)));
  await young.stop();
  return figures;
}

async function withLongHistory(young: QuotaChild): Promise<Figure[]> {
  const old = await QuotaChild.start({ controllers: true, consumers: 1, history: longHistory });
  const figures = [
    await growth(young, old, "1,000,000 claims granted before"),
    ...startFigures(old, "1,000,000 claims"),
  ];
  await old.stop();
  return figures;
}

async function growth(young: QuotaChild, old: QuotaChild, what: string): Promise<Figure> {
  await old.runInside({ ...warmUp, until: "decided" });
  const [loaded, empty] = await alternateConnected(
    await old.connect(16, "decided"),
    await young.connect(16, "decided"),
  );
  const value = ratioOf(loaded, empty, "p50Ms");
  return { name: `p50 to a decision with ${what}, 16 clients`, value, unit: "x with none" };
}

function startFigures({ started }: QuotaChild, what: string): Figure[] {
  return [
    { name: `start of the controllers until the first decision, ${what}`, value: started.startMs, unit: "ms" },
    { name: `memory of the controllers, ${what}`, value: started.heapBytes / 2 ** 20, unit: "MiB" },
  ];
}

type Block = (durationMs: number) => Promise<Measured>;

/** Alternates blocks, so that other load of the machine affects both sides. The first block of each is dropped. */
async function alternate(first: Block, second: Block): Promise<readonly [readonly Measured[], readonly Measured[]]> {
  const loads: [Measured[], Measured[]] = [[], []];
  for (let block = 0; block <= blocks; block += 1) {
    loads[0].push(await first(blockMs));
    loads[1].push(await second(blockMs));
  }
  return [loads[0].slice(1), loads[1].slice(1)];
}

async function alternateConnected(first: Connected, second: Connected): ReturnType<typeof alternate> {
  const loads = await alternate(
    (durationMs) => first.run(durationMs),
    (durationMs) => second.run(durationMs),
  );
  await Promise.all([first.close(), second.close()]);
  return loads;
}

function medianOf(loads: readonly Measured[], what: keyof Measured): number {
  return median(loads.map((load) => load[what]));
}

function ratioOf(first: readonly Measured[], second: readonly Measured[], what: keyof Measured): number {
  return median(first.map((load, at) => load[what] / (second[at] as Measured)[what]));
}
