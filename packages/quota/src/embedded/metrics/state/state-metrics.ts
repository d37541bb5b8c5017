import type { ListerWatcher } from "@milo-quota/kubernetes/client/watch/lister-watcher.ts";
import type { MetricDeclaration } from "../../../telemetry/metric-declaration.ts";
import type { MetricSource } from "../../../telemetry/metrics.ts";
import { headerLines, sampleLine } from "../../../telemetry/text-format.ts";
import type { ControlPlanes } from "../../../views/control-planes.ts";
import { objectLines } from "./object-lines.ts";
import { type StateKind, stateDeclarations } from "./state-kind.ts";
import { stateKinds } from "./state-kinds.ts";

export interface StateMetricsOptions {
  readonly planes: Pick<ControlPlanes, "root" | "everywhere" | "inRoot">;
  readonly report: (where: string, error: unknown) => void;
  /** Yields to the event loop. */
  readonly yieldToEventLoop: (signal: AbortSignal) => Promise<void>;
  readonly objectsMax?: number;
}

/** For each kind. A claim takes about a kilobyte of text, so that a scrape of a million claims would be a gigabyte. */
export const stateObjectsMax = 10_000;
const pageSize = 100;

const truncated: MetricDeclaration = {
  name: "milo_quota_state_truncated",
  type: "gauge",
  labels: ["component", "resource_type"],
  help: "1 for kinds with more objects than are exposed, 0 for the others.",
};

export const stateMetricDeclarations: readonly MetricDeclaration[] = [
  ...stateKinds.flatMap(stateDeclarations),
  truncated,
];

/**
 * Exposes objects of the quota API as metrics. They are listed for each scrape, because keeping their samples up to date would
 * take as much memory as all informers.
 */
export class StateMetrics implements MetricSource {
  readonly #options: StateMetricsOptions;

  constructor(options: StateMetricsOptions) {
    this.#options = options;
  }

  async text(signal: AbortSignal): Promise<string> {
    const parts: string[] = [];
    const cut: string[] = [];
    for (const kind of stateKinds) {
      const { text, isTruncated } = await this.#kind(kind, signal);
      parts.push(text);
      cut.push(
        sampleLine(truncated.name, `component="quota_system",resource_type="${kind.type.plural}"`, isTruncated ? 1 : 0),
      );
    }
    return [...parts, headerLines(truncated), ...cut].join("");
  }

  /** The text format wants all samples of a metric together, so the lines are collected by metric. */
  async #kind(kind: StateKind, signal: AbortSignal): Promise<{ readonly text: string; readonly isTruncated: boolean }> {
    const families = stateDeclarations(kind).map((declaration) => [headerLines(declaration)]);
    let isTruncated = false;
    try {
      isTruncated = await this.#gather(kind, families, signal);
    } catch (error) {
      signal.throwIfAborted();
      this.#options.report(`metrics of ${kind.type.plural}`, error);
    }
    return { text: families.flat().join(""), isTruncated };
  }

  /** Returns whether there are more objects than are exposed. */
  async #gather(kind: StateKind, families: readonly string[][], signal: AbortSignal): Promise<boolean> {
    const { planes, yieldToEventLoop, objectsMax = stateObjectsMax } = this.#options;
    const source: ListerWatcher = kind.reach === "root" ? planes.inRoot(kind.type) : planes.everywhere(kind.type);
    let [next, count] = ["", 0];
    do {
      const limit = Math.min(pageSize, objectsMax - count);
      const page = await source.list({ limit, ...(next === "" ? {} : { continue: next }) }, signal);
      for (const { object, plane } of page.items) {
        const where = source.planeOf(plane, object);
        const lines = objectLines(kind, { plane: where === planes.root ? "" : where, object });
        for (const [at, line] of lines.entries()) families[at]?.push(line);
      }
      next = page.continue;
      count += page.items.length;
      await yieldToEventLoop(signal);
    } while (next !== "" && count < objectsMax);
    return next !== "";
  }
}
