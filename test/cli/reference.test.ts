import { readFileSync } from "node:fs";
import {
  demoClaimPolicy,
  demoGrantPolicy,
  demoOrganization,
  demoProject,
  demoRegistration,
} from "@milo-quota/quota/cli/demo/demo-objects.ts";
import { exitCodes } from "@milo-quota/quota/cli/exit-codes.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { CliTestEnv } from "./cli-test-env.ts";

const page = readFileSync("docs/reference/cli.md", "utf8");
const sections = new Map(
  page
    .split(/^## /m)
    .slice(1)
    .map((section) => [section.slice(0, section.indexOf("\n")), section] as const),
);
const accessFlags = flagsShown("Connecting to a cluster");
const planeFlags = flagsShown("Selecting a control plane");

let env: CliTestEnv;
/** The help of each command, by its name. */
const helps = new Map<string, string>();

beforeAll(async () => {
  env = await CliTestEnv.build();
  const names = commandsIn((await env.run(["--help"])).out);
  const inner = commandsIn((await env.run(["token", "--help"])).out).map((name) => `token ${name}`);
  const all = [...names.filter((name) => name !== "token"), ...inner];
  const results = await Promise.all(all.map((name) => env.run([...name.split(" "), "--help"])));
  for (const [index, name] of all.entries()) helps.set(name, results[index]?.out ?? "");
}, 120_000);
afterAll(() => env?.stop());

function commandsIn(help: string): readonly string[] {
  const list = help.slice(help.indexOf("\nCommands:"));
  return [...list.matchAll(/^ {2}([a-z-]+) /gm)].map(([, name]) => name ?? "").filter((name) => name !== "help");
}

/** Flags in the tables of a section, as they are typed. */
function flagsShown(section: string): readonly string[] {
  return [...(sections.get(section) ?? "").matchAll(/^\| `([^`]+)` \|/gm)].map(([, flag]) => flag ?? "");
}

function flagsIn(help: string): readonly string[] {
  const options = help.slice(help.indexOf("\nOptions:"));
  const flags = [...options.matchAll(/^ {2}((?:-\w, )?--[a-z-]+(?: <[^>]+>)?)/gm)].map(([, flag]) => flag ?? "");
  return flags.filter((flag) => flag !== "-h, --help");
}

describe("docs/reference/cli.md", () => {
  it("has a section for every command, and for nothing else", () => {
    const others = ["Connecting to a cluster", "Selecting a control plane", "Exit codes"];
    expect([...sections.keys()].filter((name) => !others.includes(name)).sort()).toEqual([...helps.keys()].sort());
    for (const name of helps.keys()) expect(page).toContain(`[${name}](#${name.replace(" ", "-")})`);
  });

  it("shows every flag of every command as the program does, and no others", () => {
    expect([accessFlags.length, planeFlags.length]).toEqual([7, 2]);
    for (const [name, help] of helps) {
      const flags = flagsIn(help);
      const shared = [
        ...(flags.includes("--context <name>") ? accessFlags : []),
        ...(flags.includes("--organization <name>") ? planeFlags : []),
      ];
      const shown = name === "apiserver" ? flagsShown("up").filter((flag) => flags.includes(flag)) : flagsShown(name);
      expect([name, [...shared, ...shown].sort()]).toEqual([name, [...flags].sort()]);
    }
  });

  it("lists the exit codes", () => {
    const codes = [...(sections.get("Exit codes") ?? "").matchAll(/^\| ([0-9]+) \|/gm)].map(([, code]) => Number(code));
    expect(codes).toEqual(Object.values(exitCodes));
  });
});

describe("the help of every command", () => {
  it("has examples", () => {
    for (const [name, help] of helps) {
      expect(help).toMatch(new RegExp(`^Usage: milo-quota ${name} `));
      expect([name, help]).toEqual([name, expect.stringContaining("\nExamples:\n")]);
    }
  });
});

describe("the demo", () => {
  it("has the objects of the example, except for the names", () => {
    const read = (file: string): object =>
      parseAllDocuments(readFileSync(`examples/projects-per-organization/${file}`, "utf8"))[0]?.toJS();
    const renamed = (object: object): unknown =>
      JSON.parse(JSON.stringify(object).replaceAll("demo-corp", "acme-corp").replaceAll("demo-web", "web"));
    expect(renamed(demoRegistration.object)).toEqual(read("1-registration.yaml"));
    expect(renamed(demoGrantPolicy.object)).toEqual(read("2-grant-policy.yaml"));
    expect(renamed(demoClaimPolicy.object)).toEqual(read("3-claim-policy.yaml"));
    expect(renamed(demoOrganization.object)).toEqual(read("4-organization.yaml"));
    expect(renamed(demoProject("demo-web").object)).toEqual(read("try/four-projects.yaml"));
  });
});
