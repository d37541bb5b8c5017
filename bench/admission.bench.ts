import { AdmissionChild, bundleAdmission, type Measured } from "./admission/admission-child.ts";
import { compareWithBaseline } from "./admission/baseline.ts";
import type { Makers } from "./admission/makers.ts";
import { median } from "./interleaved.ts";
import type { Figure, Suite } from "./run.ts";

const blocks = 5;
const blockMs = 2_000;
/** Code is compiled while it runs: what is measured has run for a while. */
const warmUpCount = 8_000;
const history = 100_000;
const manyConsumers = 200;
/** Memory is counted over so many objects, after so many that what the server keeps of the latest changes is full. */
const countedCount = 8_000;
const fillingCount = { raw: 56_000, quota: 14_000 };

/**
 * Creates of config maps over TLS, each taking a claim out of a bucket, beside the same without quota. With
 * `--baseline <folder>`, only this build beside another one.
 */
export const suite: Suite = async ({ baseline }) => {
  if (baseline !== undefined) return compareWithBaseline(baseline);
  await bundleAdmission();
  return [await atRest(), ...(await hotBucket()), ...(await spread()), ...(await withHistory())];
};

async function hotBucket(): Promise<Figure[]> {
  const raw = await AdmissionChild.start({ quota: false, consumers: 1, history: 0 });
  const quota = await AdmissionChild.start({ quota: true, consumers: 1, history: 0 });
  await warmUp(raw, quota);
  const figures: Figure[] = [];
  for (const clients of [1, 16, 64]) {
    const [admitted, created] = await inTurn([quota, clients], [raw, clients]);
    figures.push(...hotFigures(clients, admitted, created));
  }
  await Promise.all([raw.stop(), quota.stop()]);
  return figures;
}

/** The objects themselves are in both, and so is the history of the latest changes, which is bounded. */
async function atRest(): Promise<Figure> {
  const raw = await bytesForEach({ quota: false, filling: fillingCount.raw });
  const quota = await bytesForEach({ quota: true, filling: fillingCount.quota });
  return {
    name: "memory for each granted claim, with and without quota",
    value: quota - raw,
    unit: "bytes",
    budget: "admissionAtRest",
  };
}

async function bytesForEach({
  quota,
  filling,
}: {
  readonly quota: boolean;
  readonly filling: number;
}): Promise<number> {
  const child = await AdmissionChild.start({ quota, consumers: 1, history: 0 });
  await make(child, filling);
  const before = await child.memory();
  const { count } = await make(child, countedCount);
  const after = await child.memory();
  await child.stop();
  return (after.heapBytes - before.heapBytes) / count;
}

function hotFigures(clients: number, admitted: readonly Measured[], created: readonly Measured[]): Figure[] {
  const who = clients === 1 ? "1 client" : `${clients} clients`;
  return [
    { name: `objects admitted, one bucket, ${who}`, value: middle(admitted, "perSecond"), unit: "a second" },
    { name: `creates without quota, ${who}`, value: middle(created, "perSecond"), unit: "a second" },
    {
      name: `admitted, against creates without quota, ${who}`,
      value: ratioOf(admitted, created, "perSecond"),
      unit: "x raw",
      ...(clients > 1 ? { budget: "admissionAgainstRaw" as const } : {}),
    },
    {
      name: `p50, against creates without quota, ${who}`,
      value: ratioOf(admitted, created, "p50Ms"),
      unit: "x raw",
      ...(clients === 1 ? { budget: "admissionLatency" as const } : {}),
    },
    {
      name: `durable writes that quota adds to each object, ${who}`,
      value: middle(admitted, "writesEach"),
      unit: "writes",
      ...(clients === 1 ? { budget: "admissionWritesAlone" as const } : {}),
      ...(clients === 64 ? { budget: "admissionWritesTogether" as const } : {}),
    },
  ];
}

async function spread(): Promise<Figure[]> {
  const hot = await AdmissionChild.start({ quota: true, consumers: 1, history: 0 });
  const many = await AdmissionChild.start({ quota: true, consumers: manyConsumers, history: 0 });
  await warmUp(hot, many);
  const [apart, together] = await inTurn([many, 16], [hot, 16]);
  await Promise.all([hot.stop(), many.stop()]);
  return [
    { name: "objects admitted, 200 consumers, 16 clients", value: middle(apart, "perSecond"), unit: "a second" },
    {
      name: "admitted, 200 consumers, against one",
      value: ratioOf(apart, together, "perSecond"),
      unit: "x one bucket",
      budget: "admissionSpread",
    },
  ];
}

async function withHistory(): Promise<Figure[]> {
  const young = await AdmissionChild.start({ quota: true, consumers: 1, history: 0 });
  const old = await AdmissionChild.start({ quota: true, consumers: 1, history });
  await warmUp(young, old);
  const [loaded, empty] = await inTurn([old, 16], [young, 16]);
  await Promise.all([young.stop(), old.stop()]);
  return [
    {
      name: "p50 with 100,000 claims granted before, 16 clients",
      value: ratioOf(loaded, empty, "p50Ms"),
      unit: "x with none",
      budget: "admissionGrowth",
    },
  ];
}

async function warmUp(...children: readonly AdmissionChild[]): Promise<void> {
  for (const child of children) await make(child, warmUpCount);
}

async function make(child: AdmissionChild, count: number): Promise<Measured> {
  const makers = child.clients(64);
  const measured = await child.measured(() => makers.run(0, count));
  await makers.close();
  return measured;
}

type Side = readonly [child: AdmissionChild, clients: number];

/** In turn, so that whatever else the machine does falls on both; the first block of each does not count. */
async function inTurn(first: Side, second: Side): Promise<readonly [readonly Measured[], readonly Measured[]]> {
  const sides = [first, second].map(([child, clients]) => ({ child, makers: child.clients(clients) }));
  const loads: [Measured[], Measured[]] = [[], []];
  for (let block = 0; block <= blocks; block += 1) {
    for (const [at, { child, makers }] of sides.entries()) (loads[at] as Measured[]).push(await one(child, makers));
  }
  for (const { makers } of sides) await makers.close();
  return [loads[0].slice(1), loads[1].slice(1)];
}

function one(child: AdmissionChild, makers: Makers): Promise<Measured> {
  return child.measured(() => makers.run(blockMs));
}

function middle(loads: readonly Measured[], what: keyof Measured): number {
  return median(loads.map((load) => load[what]));
}

function ratioOf(first: readonly Measured[], second: readonly Measured[], what: keyof Measured): number {
  return median(first.map((load, at) => load[what] / (second[at] as Measured)[what]));
}
