// Runs every command of every guide, in the order of the page, and compares the output with the page: each guide
// on a separate server, and all guides of a part in sequence on one server. guide-names.test.ts checks
// that no two pages use the same names.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { bundle } from "../../tools/bundle.ts";
import { program } from "../kubectl/kubectl-suite.ts";
import { readGuide, type Step } from "./guide.ts";
import { guides, textOf } from "./guide-files.ts";
import { GuideSandbox } from "./guide-sandbox.ts";
import { parts } from "./guide-suite-parts.ts";
import { printsAsShown, showsFailure } from "./shown-output.ts";

const clone = join(import.meta.dirname, "../..");

const missing = ["bash", "curl", "python3"].filter((name) => spawnSync(name, ["--version"]).status !== 0);
const skipReasons = [...(program.found ? [] : [program.because]), ...missing.map((name) => `${name} is not installed`)];

const guidesWithCommands = guides.filter((guide) => readGuide(textOf(guide)).some(({ kind }) => kind === "command"));

/** Commands that only read are retried: controllers may need a moment to reach the state that the page shows. */
const readCommand = /^(?:kubectl (?:\S+ )*?(?:get|describe|events)|npx milo-quota (?:usage|explain|doctor|recount))\b/;
const retryMs = 200;
const triesMax = 75;

const runsThisTest = "npm test";

interface Started {
  readonly sandbox: GuideSandbox;
  readonly banner: string;
}

/** Declares the tests of one part of the guides; parts are counted from 1. */
export function guideSuite(part: number): void {
  // Reports skipped guides, which would otherwise look like passing ones.
  if (skipReasons.length > 0) console.warn(`The guides are skipped: ${skipReasons.join("; ")}.`);
  const mine = guidesWithCommands.filter((_, index) => index % parts === part - 1);

  let folder = "";
  let miloQuota = "";
  let started: Started | undefined;
  beforeAll(async () => {
    const cache = join(clone, "node_modules/.cache/milo-quota");
    mkdirSync(cache, { recursive: true });
    folder = mkdtempSync(join(cache, "guides-"));
    miloQuota = join(folder, "milo-quota.js");
    await bundle(miloQuota);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const start = async (): Promise<void> => {
    if (!program.found) throw new Error(program.because);
    const sandbox = new GuideSandbox({ kubectl: program.path, miloQuota });
    started = { sandbox, banner: await sandbox.start() };
  };
  const stop = async (): Promise<void> => {
    const stopped = started;
    started = undefined;
    expect(await stopped?.sandbox.close(), "exit code of the server").toBe(0);
  };
  const playOnServer = async (guide: string): Promise<void> => {
    if (started === undefined) throw new Error("the server was not started");
    await play(guide, started);
  };

  describe.skipIf(skipReasons.length > 0)("each guide works on an empty server", () => {
    beforeEach(start);
    afterEach(stop);
    it.each(mine)("%s", playOnServer);
  });

  describe.skipIf(skipReasons.length > 0)("guides work in sequence on one server", () => {
    beforeAll(start);
    afterAll(stop);
    it.each(mine)("%s", playOnServer);
  });
}

async function play(guide: string, started: Started): Promise<void> {
  const markdown = textOf(guide);
  const { sandbox } = started;
  const loggedBefore = sandbox.serverLog.length;
  for (const step of readGuide(markdown)) {
    if (step.kind === "file") continue;
    expect(await problemWith(step, started), `${guide}:${step.line}`).toBe("");
  }
  expect(unexpectedErrors(sandbox.serverLog.slice(loggedBefore), markdown), "errors logged by the server").toEqual([]);
}

/** Returns an empty string if the output of the command matches the page. */
async function problemWith(step: Extract<Step, { kind: "command" }>, { sandbox, banner }: Started): Promise<string> {
  const { command, shown } = step;
  if (command === runsThisTest) return "";
  if (command === "npm start") return difference(shown, banner);
  for (let tries = 1; ; tries += 1) {
    const { code, output } = await sandbox.run(command);
    const problem = difference(shown, output);
    if (problem !== "" && readCommand.test(command) && tries < triesMax) await sleep(retryMs);
    else if (problem === "" && (code !== 0) !== showsFailure(shown)) return `exited with ${code}, unlike what is shown`;
    else return problem;
  }
}

function difference(shown: readonly string[], printed: string): string {
  return printsAsShown(shown, printed) ? "" : `the guide shows\n${shown.join("\n")}\nit printed\n${printed}`;
}

/** Errors in the log, except those that the guide causes on purpose and shows. */
function unexpectedErrors(log: string, markdown: string): readonly string[] {
  const shown = markdown.replaceAll(/\s+/g, " ");
  return log.split("\n").filter((line) => {
    const fault = /"message":"[^:]*: (.*)"}$/.exec(line)?.[1]?.replaceAll('\\"', '"');
    const isError = line !== "" && !/^\{"level":"(?:debug|info|warn)"/.test(line);
    return isError && (fault === undefined || !shown.includes(fault));
  });
}
