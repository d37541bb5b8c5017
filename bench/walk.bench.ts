import { join } from "node:path";
import { bundle } from "../tools/bundle.ts";
import type { Figure, Suite } from "./run.ts";
import { callsByFile, totalCalls } from "./walk/call-counts.ts";
import { callList } from "./walk/call-list.ts";
import { countCalls, type RequestCalls } from "./walk/count-requests.ts";
import { type CaseName, requestCases } from "./walk/request-cases.ts";

const program = join("node_modules", ".cache", "milo-quota", "bench", "walk", "milo-quota.js");

/** Function calls and source files of one request on a warm, idle system; `--list <case>` shows those of one case. */
export const suite: Suite = async ({ list }) => {
  if (list !== undefined && !isCase(list)) {
    throw new Error(`--list knows these cases: ${Object.keys(requestCases).join(", ")}`);
  }
  await bundle(program, { sourcemap: true });
  return list === undefined ? allCases() : listedCase(list);
};

async function allCases(): Promise<Figure[]> {
  const { ungoverned, governed, rejected, claim } = requestCases;
  const raw = await countCalls(program, ungoverned);
  const admitted = await countCalls(program, governed);
  return [
    ...figuresOf("ungoverned", raw),
    ...figuresOf("governed", admitted),
    ...figuresOf("rejected", await countCalls(program, rejected)),
    ...figuresOf("claim", await countCalls(program, claim)),
    {
      name: "calls, governed and admitted against ungoverned",
      value: totalCalls(admitted.alone) / totalCalls(raw.alone),
      unit: "x ungoverned",
      budget: "walkCalls",
    },
    { name: "the same in a row", value: admitted.eachInARow / raw.eachInARow, unit: "x ungoverned" },
  ];
}

async function listedCase(name: CaseName): Promise<Figure[]> {
  const calls = await countCalls(program, requestCases[name]);
  console.log(callList(calls.alone));
  return figuresOf(name, calls);
}

function figuresOf(name: CaseName, { alone, deferred, eachInARow }: RequestCalls): Figure[] {
  const { title } = requestCases[name];
  const files: Figure = { name: `${title}: files`, value: callsByFile(alone).size, unit: "files" };
  return [
    { name: `${title}: calls`, value: totalCalls(alone), unit: "calls" },
    { name: `${title}: calls of deferred writes that follow`, value: totalCalls(deferred), unit: "calls" },
    { name: `${title}: calls for each of many in a row`, value: eachInARow, unit: "calls" },
    name === "governed" ? { ...files, budget: "walkFiles" } : files,
  ];
}

function isCase(name: string): name is CaseName {
  return Object.hasOwn(requestCases, name);
}
