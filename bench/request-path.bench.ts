import { join } from "node:path";
import { bundle } from "../tools/bundle.ts";
import { callsByFile, totalCalls } from "./request-path/call-counts.ts";
import { callList } from "./request-path/call-list.ts";
import { countCalls, type RequestCalls } from "./request-path/count-requests.ts";
import { type CaseName, requestCases } from "./request-path/request-cases.ts";
import type { Figure, Suite } from "./run.ts";

const program = join("node_modules", ".cache", "milo-quota", "bench", "request-path", "milo-quota.js");

/** Function calls and source files of one request on a warm, idle system; `--list <case>` shows those of one case. */
export const suite: Suite = async ({ list }) => {
  if (list !== undefined && !isCase(list)) {
    throw new Error(`--list takes one of these cases: ${Object.keys(requestCases).join(", ")}`);
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
      name: "calls of a governed create, against an ungoverned one",
      value: totalCalls(admitted.alone) / totalCalls(raw.alone),
      unit: "x ungoverned",
      budget: "requestCalls",
    },
    { name: "the same for consecutive requests", value: admitted.eachInARow / raw.eachInARow, unit: "x ungoverned" },
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
    { name: `${title}: calls of deferred writes`, value: totalCalls(deferred), unit: "calls" },
    { name: `${title}: calls for each of many consecutive requests`, value: eachInARow, unit: "calls" },
    name === "governed" ? { ...files, budget: "requestFiles" } : files,
  ];
}

function isCase(name: string): name is CaseName {
  return Object.hasOwn(requestCases, name);
}
