import { readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { BundleSources } from "./bundle-sources.ts";
import { type CallCounts, countsOf, type ScriptCoverage, type SourcesByUrl } from "./call-counts.ts";
import { Inspector } from "./inspector-session.ts";

/**
 * Counts the calls of this project's functions in a running program, in all its threads. V8's precise coverage counts
 * exactly but disables optimizations. An async function counts once more for each `await` that it resumes from.
 */
export class CallCounter {
  readonly #inspector: Inspector;
  readonly #sources: SourcesByUrl;

  /** The program must be bundled with source maps and run with an inspector. */
  static async start(program: string, inspectorUrl: string): Promise<CallCounter> {
    const inspector = await Inspector.connect(inspectorUrl);
    for (const session of inspector.sessions) {
      await session.call("Profiler.enable");
      await session.call("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    }
    return new CallCounter(inspector, sourcesIn(resolve(dirname(program))));
  }

  private constructor(inspector: Inspector, sources: SourcesByUrl) {
    this.#inspector = inspector;
    this.#sources = sources;
  }

  /** Calls since the last `take`. */
  async take(): Promise<CallCounts> {
    const coverage: ScriptCoverage[] = [];
    for (const session of this.#inspector.sessions) {
      const taken = await session.call<{ readonly result: readonly ScriptCoverage[] }>("Profiler.takePreciseCoverage");
      coverage.push(...taken.result);
    }
    return countsOf(coverage, this.#sources);
  }

  close(): Promise<void> {
    return this.#inspector.close();
  }
}

/** Sources of all files of a bundle. */
function sourcesIn(folder: string): SourcesByUrl {
  const files = readdirSync(folder).filter((name) => name.endsWith(".js"));
  return new Map(files.map((name) => [pathToFileURL(join(folder, name)).href, BundleSources.read(join(folder, name))]));
}
