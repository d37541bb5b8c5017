import { AdmissionChild, bundleAdmission, type Measured } from "./admission/admission-child.ts";
import { compareWithBaseline } from "./admission/baseline.ts";
import type { CreateLoad } from "./admission/create-load.ts";
import { median } from "./interleaved.ts";
import type { Figure, Suite } from "./run.ts";

const blocks = 5;
const blockMs = 2_000;
/** Lets the JIT compile the code before the measurement. */
const warmUpCount = 8_000;
const history = 100_000;
const manyConsumers = 200;
/** Objects in the memory measurement. It starts when the bounded watch history is full. */
const countedCount = 8_000;
const fillingCount = { raw: 56_000, quota: 14_000 };

/**
 * Creates of ConfigMaps over TLS, each of which claims from a bucket, compared with the same creates without quota. With
 * `--baseline <folder>`, compares this build with another one instead.
 */
export const suite: Suite = async ({ baseline }) => {
  if (baseline !== undefined) return compareWithBaseline(baseline);
  await bundleAdmission();
  return [await memoryPerClaim(), ...(await hotBucket()), ...(await spread()), ...(await withHistory())];
};

async function hotBucket(): Promise<Figure[]> {
  const raw = await AdmissionChild.start({ quota: false, consumers: 1, history: 0 });
  const quota = await AdmissionChild.start({ quota: true, consumers: 1, history: 0 });
  await warmUp(raw, quota);
  const figures: Figure[] = [];
  for (const clients of [1, 16, 64]) {
    const [admitted, created] = await alternate([quota, clients], [raw, clients]);
    figures.push(...hotFigures(clients, admitted, created));
  }
  await Promise.all([raw.stop(), quota.stop()]);
  return figures;
}

/** Both sides contain the objects themselves and the bounded watch history, so the difference is the claim. */
async function memoryPerClaim(): Promise<Figure> {
  const raw = await bytesForEach({ quota: false, filling: fillingCount.raw });
  const quota = await bytesForEach({ quota: true, filling: fillingCount.quota });
  return {
    name: "memory of each granted claim (difference with and without quota)",
    value: quota - raw,
    unit: "bytes",
    budget: "admissionClaimMemory",
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
  await createObjects(child, filling);
  const before = await child.memory();
  const { count } = await createObjects(child, countedCount);
  const after = await child.memory();
  await child.stop();
  return (after.heapBytes - before.heapBytes) / count;
}

function hotFigures(clients: number, admitted: readonly Measured[], created: readonly Measured[]): Figure[] {
  const who = clients === 1 ? "1 client" : `${clients} clients`;
  return [
    { name: `objects admitted, one bucket, ${who}`, value: medianOf(admitted, "perSecond"), unit: "/s" },
    { name: `creates without quota, ${who}`, value: medianOf(created, "perSecond"), unit: "/s" },
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
      value: medianOf(admitted, "writesEach"),
      unit: "writes",
      ...(clients === 1 ? { budget: "admissionWritesSingle" as const } : {}),
      ...(clients === 64 ? { budget: "admissionWritesConcurrent" as const } : {}),
    },
  ];
}

async function spread(): Promise<Figure[]> {
  const hot = await AdmissionChild.start({ quota: true, consumers: 1, history: 0 });
  const many = await AdmissionChild.start({ quota: true, consumers: manyConsumers, history: 0 });
  await warmUp(hot, many);
  const [separate, shared] = await alternate([many, 16], [hot, 16]);
  await Promise.all([hot.stop(), many.stop()]);
  return [
    { name: "objects admitted, 200 consumers, 16 clients", value: medianOf(separate, "perSecond"), unit: "/s" },
    {
      name: "admitted, 200 consumers, against one",
      value: ratioOf(separate, shared, "perSecond"),
      unit: "x one bucket",
      budget: "admissionManyBuckets",
    },
  ];
}

async function withHistory(): Promise<Figure[]> {
  const young = await AdmissionChild.start({ quota: true, consumers: 1, history: 0 });
  const old = await AdmissionChild.start({ quota: true, consumers: 1, history });
  await warmUp(young, old);
  const [loaded, empty] = await alternate([old, 16], [young, 16]);
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
  for (const child of children) await createObjects(child, warmUpCount);
}

async function createObjects(child: AdmissionChild, count: number): Promise<Measured> {
  const creates = child.clients(64);
  const measured = await child.measured(() => creates.run(0, count));
  await creates.close();
  return measured;
}

type Side = readonly [child: AdmissionChild, clients: number];

/** Alternates blocks, so that other load of the machine affects both sides. The first block of each is dropped. */
async function alternate(first: Side, second: Side): Promise<readonly [readonly Measured[], readonly Measured[]]> {
  const sides = [first, second].map(([child, clients]) => ({ child, creates: child.clients(clients) }));
  const loads: [Measured[], Measured[]] = [[], []];
  for (let block = 0; block <= blocks; block += 1) {
    for (const [at, { child, creates }] of sides.entries())
      (loads[at] as Measured[]).push(await runBlock(child, creates));
  }
  for (const { creates } of sides) await creates.close();
  return [loads[0].slice(1), loads[1].slice(1)];
}

function runBlock(child: AdmissionChild, creates: CreateLoad): Promise<Measured> {
  return child.measured(() => creates.run(blockMs));
}

function medianOf(loads: readonly Measured[], what: keyof Measured): number {
  return median(loads.map((load) => load[what]));
}

function ratioOf(first: readonly Measured[], second: readonly Measured[], what: keyof Measured): number {
  return median(first.map((load, at) => load[what] / (second[at] as Measured)[what]));
}
