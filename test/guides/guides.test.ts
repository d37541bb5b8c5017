// Every command of every guide is run, in the order of the page, and prints what the page shows: on a server of its own, and
// with all guides one after another on one server.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { bundle } from "../../tools/bundle.ts";
import { program } from "../kubectl/kubectl-suite.ts";
import { readGuide, type Step } from "./guide.ts";
import { guides, textOf } from "./guide-files.ts";
import { printsAsShown, showsFailure } from "./shown-output.ts";
import { Stand } from "./stand.ts";

const clone = join(import.meta.dirname, "../..");

const missing = ["bash", "curl", "python3"].filter((name) => spawnSync(name, ["--version"]).status !== 0);
const because = [...(program.found ? [] : [program.because]), ...missing.map((name) => `there is no ${name}`)];
// Skipped guides must not look like guides that work.
if (because.length > 0) console.warn(`The guides are not tried: ${because.join("; ")}.`);

/** What is seen a moment later may be what is shown: people are slower than programs. */
const looking = /^(?:kubectl (?:\S+ )*?(?:get|describe|events)|npx milo-quota (?:usage|explain|doctor|recount))\b/;
const runsThisTest = "npm test";
const lookMs = 200;
const looksMax = 75;

let folder = "";
let miloQuota = "";
beforeAll(async () => {
  const cache = join(clone, "node_modules/.cache/milo-quota");
  mkdirSync(cache, { recursive: true });
  folder = mkdtempSync(join(cache, "guides-"));
  miloQuota = join(folder, "milo-quota.js");
  await bundle(miloQuota);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const guidesWithCommands = guides.filter((guide) => readGuide(textOf(guide)).some(({ kind }) => kind === "command"));

let stand: Stand | undefined;
let welcome = "";
const start = async (): Promise<void> => {
  if (!program.found) throw new Error(program.because);
  stand = new Stand({ kubectl: program.path, miloQuota });
  welcome = await stand.start();
};
const stop = async (): Promise<void> => {
  const stopped = stand;
  stand = undefined;
  expect(await stopped?.close(), "exit code of the server").toBe(0);
};

describe.skipIf(because.length > 0)("each guide works on an empty server", () => {
  beforeEach(start);
  afterEach(stop);
  it.each(guidesWithCommands)("%s", play);
});

describe.skipIf(because.length > 0)("all guides work on one server, one after another", () => {
  beforeAll(start);
  afterAll(stop);
  it.each(guidesWithCommands)("%s", play);
});

async function play(guide: string): Promise<void> {
  if (stand === undefined) throw new Error("no server was started");
  const markdown = textOf(guide);
  const complaintsBefore = stand.complaints.length;
  for (const step of readGuide(markdown)) {
    if (step.kind === "file") continue;
    expect(await problemWith(stand, step), `${guide}:${step.line}`).toBe("");
  }
  expect(unexpected(stand.complaints.slice(complaintsBefore), markdown), "errors logged by the server").toEqual([]);
}

/** Nothing when the command does what is shown. */
async function problemWith(here: Stand, { command, shown }: Extract<Step, { kind: "command" }>): Promise<string> {
  if (command === runsThisTest) return "";
  if (command === "npm start") return difference(shown, welcome);
  for (let looks = 1; ; looks += 1) {
    const { code, text } = await here.run(command);
    const problem = difference(shown, text);
    if (problem !== "" && looking.test(command) && looks < looksMax) await pause(lookMs);
    else if (problem === "" && (code !== 0) !== showsFailure(shown)) return `ended with ${code}, unlike what is shown`;
    else return problem;
  }
}

function difference(shown: readonly string[], printed: string): string {
  return printsAsShown(shown, printed) ? "" : `the guide shows\n${shown.join("\n")}\nit printed\n${printed}`;
}

/** What went wrong, but for what passes by itself, and for mistakes that the guide makes on purpose, and shows. */
function unexpected(complaints: string, markdown: string): readonly string[] {
  const words = markdown.replaceAll(/\s+/g, " ");
  return complaints.split("\n").filter((line) => {
    const fault = /"message":"[^:]*: (.*)"}$/.exec(line)?.[1]?.replaceAll('\\"', '"');
    const isNews = line === "" || /^\{"level":"(?:debug|info|warn)"/.test(line);
    return !isNews && (fault === undefined || !words.includes(fault));
  });
}
