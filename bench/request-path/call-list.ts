import { type CallCounts, callsByFile, mostFirst } from "./call-counts.ts";

const topFunctions = 60;

/** All files with their calls, and the most called functions. */
export function callList(counts: CallCounts): string {
  const functions = [...mostFirst(counts)];
  return [
    "  calls by file",
    ...[...callsByFile(counts)].map(line),
    "",
    `  the ${Math.min(topFunctions, functions.length)} most called functions of ${functions.length}`,
    ...functions.slice(0, topFunctions).map(line),
    "",
  ].join("\n");
}

function line([what, count]: readonly [string, number]): string {
  return `${String(count).padStart(8)}  ${what}`;
}
