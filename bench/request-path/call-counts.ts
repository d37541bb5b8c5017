import { median } from "../interleaved.ts";
import type { BundleSources } from "./bundle-sources.ts";

/** Number of calls by file, line and name of a function, such as `packages/quota/src/main.ts:12 start`. */
export type CallCounts = ReadonlyMap<string, number>;

/** Result of `Profiler.takePreciseCoverage` for a script. The first range of a function is the function itself. */
export interface ScriptCoverage {
  readonly url: string;
  readonly functions: readonly {
    readonly functionName: string;
    readonly ranges: readonly { readonly startOffset: number; readonly count: number }[];
  }[];
}

/** Sources by URL of the bundled file. */
export type SourcesByUrl = ReadonlyMap<string, Pick<BundleSources, "find">>;

/** Counts of all functions below packages/. */
export function countsOf(coverage: readonly ScriptCoverage[], sources: SourcesByUrl): CallCounts {
  const counts = new Map<string, number>();
  for (const { url, functions } of coverage) {
    for (const { functionName, ranges } of functions) {
      const { startOffset = 0, count = 0 } = ranges[0] ?? {};
      const source = count > 0 ? sources.get(url)?.find(startOffset) : undefined;
      if (source === undefined || !source.file.startsWith("packages/")) continue;
      const key = `${source.file}:${source.line} ${functionName || "(anonymous)"}`;
      counts.set(key, (counts.get(key) ?? 0) + count);
    }
  }
  return counts;
}

/**
 * The calls of one request: for each function, the median of the counts with a request less the median of the counts
 * without one. Regular timers are in both medians, rare timers in neither.
 */
export function callsOfRequest(withRequest: readonly CallCounts[], idle: readonly CallCounts[]): CallCounts {
  const calls = new Map<string, number>();
  for (const key of new Set(withRequest.flatMap((counts) => [...counts.keys()]))) {
    const count = medianCount(withRequest, key) - medianCount(idle, key);
    if (count > 0) calls.set(key, count);
  }
  return calls;
}

export function totalCalls(counts: CallCounts): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

/** Calls by file, most calls first. */
export function callsByFile(counts: CallCounts): CallCounts {
  const files = new Map<string, number>();
  for (const [key, count] of counts) {
    const file = key.slice(0, key.indexOf(":"));
    files.set(file, (files.get(file) ?? 0) + count);
  }
  return mostFirst(files);
}

export function mostFirst(counts: CallCounts): CallCounts {
  return new Map([...counts].sort(([, left], [, right]) => right - left));
}

function medianCount(all: readonly CallCounts[], key: string): number {
  return all.length === 0 ? 0 : median(all.map((counts) => counts.get(key) ?? 0));
}
