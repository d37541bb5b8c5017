import { freemem } from "node:os";
import type { Load } from "./claims/claimants.ts";
import { bundleQuota, QuotaChild } from "./claims/quota-child.ts";
import { median } from "./interleaved.ts";
import type { Figure, Suite } from "./run.ts";

const blocks = 5;
const blockMs = 1_500;
const warmUpMs = 4_000;
const manyConsumers = 1_000;
const history = 100_000;
/** Takes about 4 GB, and two minutes. */
const longHistory = 1_000_000;
const longHistoryBytes = 8 * 2 ** 30;

/** Claims on the embedded server, durable, from the create to the decision that a client sees. */
export const suite: Suite = async () => {
  await bundleQuota();
  return [...(await hotBucket()), ...(await manyBuckets()), ...(await withHistory())];
};

/** One bucket that everybody claims from, beside a server that only stores the claims. */
async function hotBucket(): Promise<Figure[]> {
  const raw = await QuotaChild.start({ controllers: false, consumers: 1, history: 0 });
  const quota = await QuotaChild.start({ controllers: true, consumers: 1, history: 0 });
  const figures: Figure[] = [];
  for (const clients of [1, 16, 64, 256]) {
    const [decided, created] = await inTurn(
      (durationMs) => quota.run({ clients, durationMs, until: "decided" }),
      (durationMs) => raw.run({ clients, durationMs, until: "created" }),
    );
    figures.push(...hotFigures(clients, decided, created));
  }
  await Promise.all([raw.stop(), quota.stop()]);
  return figures;
}

function hotFigures(clients: number, decided: readonly Load[], created: readonly Load[]): Figure[] {
  const who = clients === 1 ? "1 client" : `${clients} clients`;
  const ratio = median(decided.map(({ perSecond }, at) => perSecond / (created[at] as Load).perSecond));
  const writes = median(decided.map(({ writesEach }) => writesEach));
  return [
    { name: `claims decided, one bucket, ${who}`, value: middle(decided, "perSecond"), unit: "a second" },
    { name: `their p50, ${who}`, value: middle(decided, "p50Ms"), unit: "ms" },
    {
      name: `claims decided, against creates of the same, ${who}`,
      value: ratio,
      unit: "x raw",
      ...(clients === 64 ? { budget: "claimsAgainstRaw" as const } : {}),
    },
    {
      name: `durable writes for each decision, ${who}`,
      value: writes,
      unit: "writes",
      ...(clients === 1 ? { budget: "claimWritesAlone" as const } : {}),
      ...(clients === 64 ? { budget: "claimWritesTogether" as const } : {}),
    },
  ];
}

async function manyBuckets(): Promise<Figure[]> {
  const hot = await QuotaChild.start({ controllers: true, consumers: 1, history: 0 });
  const many = await QuotaChild.start({ controllers: true, consumers: manyConsumers, history: 0 });
  const [spread, together] = await inTurn(
    (durationMs) => many.run({ clients: 64, durationMs, until: "decided" }),
    (durationMs) => hot.run({ clients: 64, durationMs, until: "decided" }),
  );
  await Promise.all([hot.stop(), many.stop()]);
  const ratio = median(spread.map(({ perSecond }, at) => perSecond / (together[at] as Load).perSecond));
  return [
    { name: "claims decided, 1,000 buckets, 64 clients", value: middle(spread, "perSecond"), unit: "a second" },
    { name: "the same, against one bucket", value: ratio, unit: "x one bucket", budget: "claimsSpread" },
  ];
}

/** The same bucket with a hundred thousand claims granted before; and with a million, where there is memory for it. */
async function withHistory(): Promise<Figure[]> {
  const young = await QuotaChild.start({ controllers: true, consumers: 1, history: 0 });
  const old = await QuotaChild.start({ controllers: true, consumers: 1, history });
  const figures: Figure[] = [
    ...(await growth(young, old, "100,000 claims granted before")).map((figure) => ({
      ...figure,
      budget: "claimGrowth" as const,
    })),
    {
      name: "memory of the controllers for each granted claim",
      value: (old.started.heapBytes - young.started.heapBytes) / history,
      unit: "bytes",
      budget: "claimAtRest",
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
    ...(await growth(young, old, "1,000,000 claims granted before")),
    ...startFigures(old, "1,000,000 claims"),
  ];
  await old.stop();
  return figures;
}

async function growth(young: QuotaChild, old: QuotaChild, what: string): Promise<Figure[]> {
  const work = { clients: 16, until: "decided" } as const;
  const [loaded, empty] = await inTurn(
    (durationMs) => old.run({ ...work, durationMs }),
    (durationMs) => young.run({ ...work, durationMs }),
  );
  const ratio = median(loaded.map(({ p50Ms }, at) => p50Ms / (empty[at] as Load).p50Ms));
  return [{ name: `p50 to a decision with ${what}, 16 clients`, value: ratio, unit: "x with none" }];
}

function startFigures({ started }: QuotaChild, what: string): Figure[] {
  return [
    { name: `start of the controllers to the first decision, ${what}`, value: started.startMs, unit: "ms" },
    { name: `memory of the controllers, ${what}`, value: started.heapBytes / 2 ** 20, unit: "MiB" },
  ];
}

type Block = (durationMs: number) => Promise<Load>;

/** Both warm, and then in turn: whatever else the machine does falls on both. */
async function inTurn(first: Block, second: Block): Promise<readonly [readonly Load[], readonly Load[]]> {
  await first(warmUpMs);
  await second(warmUpMs);
  const loads: [Load[], Load[]] = [[], []];
  for (let block = 0; block < blocks; block += 1) {
    loads[0].push(await first(blockMs));
    loads[1].push(await second(blockMs));
  }
  return loads;
}

function middle(loads: readonly Load[], what: keyof Load): number {
  return median(loads.map((load) => load[what]));
}
