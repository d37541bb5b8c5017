import type { ObjectSource } from "@milo-quota/kubernetes/client/watch/object-source.ts";
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
  /** Lets others have their turn. */
  readonly nextTurn: (signal: AbortSignal) => Promise<void>;
  readonly objectsMax?: number;
}

/** Of each kind. A claim takes about a kilobyte of text: nobody wants a gigabyte of it every half minute. */
export const stateObjectsMax = 10_000;
const pageSize = 100;

const truncated: MetricDeclaration = {
  name: "milo_quota_state_truncated",
  type: "gauge",
  labels: ["component", "resource_type"],
  help: "1 for kinds with more objects than are shown, 0 for the others.",
};

/** The metrics of this source, without anybody to read them from. */
export const stateMetricDeclarations: readonly MetricDeclaration[] = [
  ...stateKinds.flatMap(stateDeclarations),
  truncated,
];

/**
 * Objects of the quota API as metrics, read when somebody asks: kept up to date they would take as much memory as all
 * else that is known of them.
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
      const { text, isCut } = await this.#kind(kind, signal);
      parts.push(text);
      cut.push(
        sampleLine(truncated.name, `component="quota_system",resource_type="${kind.type.plural}"`, isCut ? 1 : 0),
      );
    }
    return [...parts, headerLines(truncated), ...cut].join("");
  }

  /** Lines of one metric stand together, so those of all objects are gathered metric by metric. */
  async #kind(kind: StateKind, signal: AbortSignal): Promise<{ readonly text: string; readonly isCut: boolean }> {
    const families = stateDeclarations(kind).map((declaration) => [headerLines(declaration)]);
    let isCut = false;
    try {
      isCut = await this.#gather(kind, families, signal);
    } catch (error) {
      signal.throwIfAborted();
      this.#options.report(`metrics of ${kind.type.plural}`, error);
    }
    return { text: families.flat().join(""), isCut };
  }

  /** Whether there are more objects than are shown. */
  async #gather(kind: StateKind, families: readonly string[][], signal: AbortSignal): Promise<boolean> {
    const { planes, nextTurn, objectsMax = stateObjectsMax } = this.#options;
    const source: ObjectSource = kind.reach === "root" ? planes.inRoot(kind.type) : planes.everywhere(kind.type);
    let [next, count] = ["", 0];
    do {
      const limit = Math.min(pageSize, objectsMax - count);
      const page = await source.page({ limit, ...(next === "" ? {} : { continue: next }) }, signal);
      for (const { object, plane } of page.items) {
        const where = source.planeOf(plane, object);
        const lines = objectLines(kind, { plane: where === planes.root ? "" : where, object });
        for (const [at, line] of lines.entries()) families[at]?.push(line);
      }
      next = page.continue;
      count += page.items.length;
      await nextTurn(signal);
    } while (next !== "" && count < objectsMax);
    return next !== "";
  }
}
