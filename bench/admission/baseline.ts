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
import { Makers } from "./makers.ts";

const rounds = 9;
/** Blocks are short, so that whatever else the machine does falls on all programs alike. */
const rawBlocks: Blocks = { count: 8, ms: 250, pauseMs: 0 };
/** In the pause everything that follows from a governed create is written, and falls on no other program. */
const governedBlocks: Blocks = { count: 2, ms: 1_000, pauseMs: 1_500 };
const warmUpCount = 8_000;
const clientCounts = [1, 16, 64] as const;
const programName = "milo-quota.js";
const built = join("dist", programName);
/** Inside this tree, so that the baseline finds its dependencies here. */
const baselineFolder = join("node_modules", ".cache", "milo-quota", "bench", "baseline");

/** Every order comes as often as every other. */
const orders: readonly (readonly (keyof Round)[])[] = [
  ["built", "baseline", "copy"],
  ["copy", "baseline", "built"],
  ["baseline", "copy", "built"],
  ["built", "copy", "baseline"],
  ["copy", "built", "baseline"],
  ["baseline", "built", "copy"],
];

/** What each program does in a round. */
interface Blocks {
  readonly count: number;
  readonly ms: number;
  readonly pauseMs: number;
}

type Sides<Side> = Readonly<Record<keyof Round, Side>>;
type Rounds = ReadonlyMap<number, readonly Round[]>;

/** Creates in this build against those in another build, with and without quota. */
export async function compareWithBaseline(folder: string): Promise<Figure[]> {
  const given = resolve(folder);
  if (!existsSync(join(given, programName))) throw new Error(`--baseline ${folder}: there is no ${programName}`);
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
      measured.set(clients, await inTurn(started, clients, quota ? governedBlocks : rawBlocks));
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
  const makers = new Makers(target, 64, 1);
  await makers.run(0, warmUpCount);
  await makers.close();
}

/** The first round does not count. */
async function inTurn(programs: Sides<StartedProgram>, clients: number, blocks: Blocks): Promise<readonly Round[]> {
  const makersOf = (side: keyof Round): Makers => new Makers(programs[side].target, clients, 1);
  const makers = { built: makersOf("built"), baseline: makersOf("baseline"), copy: makersOf("copy") };
  const all: Round[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const done: Record<keyof Round, Block[]> = { built: [], baseline: [], copy: [] };
    for (let block = 0; block < blocks.count; block += 1) {
      const order = orders[(round * blocks.count + block) % orders.length] as readonly (keyof Round)[];
      for (const side of order) done[side].push(await oneBlock(programs[side], makers[side], blocks));
    }
    all.push({ built: workOf(done.built), baseline: workOf(done.baseline), copy: workOf(done.copy) });
  }
  for (const maker of Object.values(makers)) await maker.close();
  return all.slice(1);
}

async function oneBlock(program: StartedProgram, makers: Makers, { ms, pauseMs }: Blocks): Promise<Block> {
  const before = program.cpuMs();
  const load = await makers.run(ms);
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
      p50Ms: `their p50, ${who(clients)}`,
      cpuMsEach: `processor time of the server for each, ${who(clients)}`,
    };
    const figures = (Object.keys(titles) as (keyof Work)[]).flatMap((measure) => [
      { name: titles[measure], value: againstBaseline(all, measure), unit: "x baseline" },
      { name: "  two processes of the baseline", value: noiseOf(all, measure), unit: "x (noise)" },
    ]);
    return figures.filter(({ value }) => !Number.isNaN(value));
  });
}

function who(clients: number): string {
  return clients === 1 ? "1 client" : `${clients} clients`;
}
