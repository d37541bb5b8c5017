import { cpSync, existsSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { bundle } from "../../tools/bundle.ts";
import { ApiClient } from "../program/api-client.ts";
import { setUpQuota } from "../program/set-up-quota.ts";
import { StartedProgram } from "../program/started-program.ts";
import type { Figure } from "../run.ts";
import {
  againstBaseline,
  type Block,
  noiseOf,
  percentSlower,
  type Round,
  type Work,
  workOf,
} from "./baseline-ratios.ts";
import { CreateLoad } from "./create-load.ts";

const rounds = 9;
/** Blocks are short, so that other load of the machine affects all programs alike. */
const rawBlocks: Blocks = { count: 8, ms: 250, pauseMs: 0 };
/** During the pause the program does its deferred writes, so that they do not affect the next program. */
const governedBlocks: Blocks = { count: 2, ms: 1_000, pauseMs: 1_500 };
const warmUpCount = 8_000;
const clientCounts = [1, 16, 64] as const;
const programName = "milo-quota.js";
const built = join("dist", programName);
/** Inside this repository, so that the baseline finds its dependencies. */
const baselineFolder = join("node_modules", ".cache", "milo-quota", "bench", "baseline");

/** All orders, equally often. */
const orders: readonly (readonly (keyof Round)[])[] = [
  ["built", "baseline", "copy"],
  ["copy", "baseline", "built"],
  ["baseline", "copy", "built"],
  ["built", "copy", "baseline"],
  ["copy", "built", "baseline"],
  ["baseline", "built", "copy"],
];

/** The blocks of a program in a round. */
interface Blocks {
  readonly count: number;
  readonly ms: number;
  readonly pauseMs: number;
}

type Sides<Side> = Readonly<Record<keyof Round, Side>>;
type Rounds = ReadonlyMap<number, readonly Round[]>;

/** Compares creates of this build with those of another build, with and without quota. */
export async function compareWithBaseline(folder: string): Promise<Figure[]> {
  const given = resolve(folder);
  if (!existsSync(join(given, programName))) throw new Error(`--baseline ${folder} has no ${programName}`);
  rmSync(baselineFolder, { recursive: true, force: true });
  cpSync(given, baselineFolder, { recursive: true }); // before the build, which may overwrite the given folder
  try {
    await bundle(built);
    return [...rawFigures(await measure({ quota: false })), ...figuresOf("governed", await measure({ quota: true }))];
  } finally {
    rmSync(baselineFolder, { recursive: true, force: true });
  }
}

async function measure({ quota }: { readonly quota: boolean }): Promise<Rounds> {
  const baseline = join(baselineFolder, programName);
  const programs: StartedProgram[] = [];
  const start = async (file: string): Promise<StartedProgram> => {
    const program = await StartedProgram.start(file);
    programs.push(program);
    await prepare(program, quota);
    return program;
  };
  try {
    const started = { built: await start(built), baseline: await start(baseline), copy: await start(baseline) };
    const measured = new Map<number, readonly Round[]>();
    for (const clients of clientCounts) {
      measured.set(clients, await alternate(started, clients, quota ? governedBlocks : rawBlocks));
    }
    return measured;
  } finally {
    for (const program of programs) await program.stop();
  }
}

async function prepare({ target }: StartedProgram, quota: boolean): Promise<void> {
  const client = new ApiClient(target);
  if (quota) await setUpQuota(client, [undefined]);
  await client.close();
  const creates = new CreateLoad(target, 64, 1);
  await creates.run(0, warmUpCount);
  await creates.close();
}

/** The first round is dropped. */
async function alternate(programs: Sides<StartedProgram>, clients: number, blocks: Blocks): Promise<readonly Round[]> {
  const createsOn = (side: keyof Round): CreateLoad => new CreateLoad(programs[side].target, clients, 1);
  const creates = { built: createsOn("built"), baseline: createsOn("baseline"), copy: createsOn("copy") };
  const all: Round[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const done: Record<keyof Round, Block[]> = { built: [], baseline: [], copy: [] };
    for (let block = 0; block < blocks.count; block += 1) {
      const order = orders[(round * blocks.count + block) % orders.length] as readonly (keyof Round)[];
      for (const side of order) done[side].push(await oneBlock(programs[side], creates[side], blocks));
    }
    all.push({ built: workOf(done.built), baseline: workOf(done.baseline), copy: workOf(done.copy) });
  }
  for (const load of Object.values(creates)) await load.close();
  return all.slice(1);
}

async function oneBlock(program: StartedProgram, creates: CreateLoad, { ms, pauseMs }: Blocks): Promise<Block> {
  const before = program.cpuMs();
  const load = await creates.run(ms);
  await new Promise((done) => setTimeout(done, pauseMs));
  return { ...load, cpuMs: program.cpuMs() - before };
}

function rawFigures(measured: Rounds): Figure[] {
  const noise = [...measured.values()].map((all) => noiseOf(all, "perSecond"));
  const slower = [...measured].map(
    ([clients, all]): Figure => ({
      name: `raw creates slower than the baseline, beyond noise, ${who(clients)}`,
      value: percentSlower(againstBaseline(all, "perSecond"), noise),
      unit: "%",
      budget: "rawAgainstBaseline",
    }),
  );
  return [...figuresOf("raw", measured), ...slower];
}

function figuresOf(what: "raw" | "governed", measured: Rounds): Figure[] {
  return [...measured].flatMap(([clients, all]) => {
    const titles: Readonly<Record<keyof Work, string>> = {
      perSecond: `${what} creates, ${who(clients)}`,
      p50Ms: `p50 of ${what} creates, ${who(clients)}`,
      cpuMsEach: `CPU time of the server for a ${what} create, ${who(clients)}`,
    };
    const figures = (Object.keys(titles) as (keyof Work)[]).flatMap((measure) => [
      { name: titles[measure], value: againstBaseline(all, measure), unit: "x baseline" },
      { name: "  noise: two baseline processes", value: noiseOf(all, measure), unit: "x (noise)" },
    ]);
    return figures.filter(({ value }) => !Number.isNaN(value));
  });
}

function who(clients: number): string {
  return clients === 1 ? "1 client" : `${clients} clients`;
}
