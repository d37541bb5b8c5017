import type { ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import type { MetricDeclaration } from "../../../telemetry/metric-declaration.ts";

export type Path = readonly string[];

/** The source of a label value: the path of a field, or a literal default. */
export type LabelOrigin = Path | string;

/** A figure of an object that becomes a metric. */
export interface StateFigure {
  /** The metric name after the prefix of the kind. */
  readonly suffix: string;
  readonly help: string;
  readonly path: Path;
  /** The type of the field. Times become seconds since 1970. */
  readonly as: "number" | "switch" | "time";
}

/** A kind whose objects are shown as metrics. */
export interface StateKind {
  readonly type: ResourceType;
  /** Whether objects of all control planes are listed, or only those of the root. */
  readonly reach: "everywhere" | "root";
  readonly prefix: string;
  /** For help texts. */
  readonly noun: string;
  /** Path of the resource type, for kinds whose objects have exactly one. */
  readonly resourceType?: Path;
  /** Path of the dimensions, for kinds whose objects may have some. */
  readonly dimensions?: Path;
  /** Additional labels of the info metric. The first origin with a value is used. */
  readonly info: Readonly<Record<string, readonly LabelOrigin[]>>;
  readonly hasConditions: boolean;
  readonly figures: readonly StateFigure[];
}

/** Labels of every metric of a kind. The control plane is omitted for objects in the root. */
function commonLabels({ type, dimensions }: StateKind): readonly string[] {
  const names = type.scope === "Cluster" ? ["uid", "name"] : ["uid", "name", "namespace"];
  const own = dimensions === undefined ? [] : ["dimensions"];
  return ["component", "resource_type", "control_plane", ...names, ...own];
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
    gauge("info", `Information on each ${noun}; always 1.`, Object.keys(info)),
    ...(hasConditions
      ? [
          gauge("status_condition", `1 for the current status of each condition of a ${noun}.`, [
            "type",
            "status",
            "reason",
          ]),
        ]
      : []),
    ...figures.map(({ suffix, help }) => gauge(suffix, help)),
  ];
}
