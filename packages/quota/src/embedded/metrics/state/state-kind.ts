import type { ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import type { MetricDeclaration } from "../../../telemetry/metric-declaration.ts";

export type Path = readonly string[];

/** Where the value of a label comes from: a field, or what it is when there is none. */
export type LabelOrigin = Path | string;

/** A figure of an object that becomes a metric. */
export interface StateFigure {
  /** What follows the prefix of the kind in the name of the metric. */
  readonly suffix: string;
  readonly help: string;
  readonly path: Path;
  /** What the field holds; times become seconds since 1970. */
  readonly as: "number" | "switch" | "time";
}

/** A kind whose objects are shown as metrics. */
export interface StateKind {
  readonly type: ResourceType;
  /** Whether objects count in whichever control plane they are, or in the root alone. */
  readonly reach: "everywhere" | "root";
  readonly prefix: string;
  /** What objects of the kind are called in texts. */
  readonly noun: string;
  /** Where an object says which quota it is about, if it is about one. */
  readonly resourceType?: Path;
  /** Labels of the info metric beside those that all metrics of the kind carry; the first origin that gives something. */
  readonly info: Readonly<Record<string, readonly LabelOrigin[]>>;
  readonly hasConditions: boolean;
  readonly figures: readonly StateFigure[];
}

/** Labels of every metric of a kind. The control plane is left out for objects in the root. */
function commonLabels({ type }: StateKind): readonly string[] {
  const names = type.scope === "Cluster" ? ["uid", "name"] : ["uid", "name", "namespace"];
  return ["component", "resource_type", "control_plane", ...names];
}

/** All metrics of a kind, in the order in which they are written. */
export function stateDeclarations(kind: StateKind): readonly MetricDeclaration[] {
  const { prefix, noun, info, hasConditions, figures } = kind;
  const common = commonLabels(kind);
  const gauge = (suffix: string, help: string, labels: readonly string[] = []): MetricDeclaration => ({
    name: `${prefix}_${suffix}`,
    type: "gauge",
    help,
    labels: [...common, ...labels],
  });
  return [
    gauge("info", `What each ${noun} is about; always 1.`, Object.keys(info)),
    ...(hasConditions
      ? [
          gauge("status_condition", `1 for the status that each condition of a ${noun} has now.`, [
            "type",
            "status",
            "reason",
          ]),
        ]
      : []),
    ...figures.map(({ suffix, help }) => gauge(suffix, help)),
  ];
}
