import { type CallCounts, callsByFile, mostFirst } from "./call-counts.ts";

const topFunctions = 60;

/** Every file with its calls, and the functions that are called most. */
export function callList(counts: CallCounts): string {
  const functions = [...mostFirst(counts)];
  return [
    "  calls in each file",
    ...[...callsByFile(counts)].map(line),
    "",
    `  the ${Math.min(topFunctions, functions.length)} functions called most, of ${functions.length}`,
    ...functions.slice(0, topFunctions).map(line),
    "",
  ].join("\n");
}

function line([what, count]: readonly [string, number]): string {
  return `${String(count).padStart(8)}  ${what}`;
}
