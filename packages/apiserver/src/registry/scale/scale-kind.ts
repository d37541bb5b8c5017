import { builtinKind } from "../builtin/builtin-kind.ts";
import { ageColumn, nameColumn, typed } from "../builtin/columns.ts";
import type { Column } from "../kinds/served-kind.ts";

interface Scale {
  readonly spec?: { readonly replicas?: number };
  readonly status?: { readonly replicas?: number };
}

/** The scale subresource. It is served below other resources, never as one of its own. */
export const scaleKind = builtinKind<Scale>({
  struct: "autoscaling.v1.Scale",
  group: "autoscaling",
  plural: "scales",
  scope: "Namespaced",
  columns: [
    nameColumn,
    countColumn("Desired", ({ spec }) => spec?.replicas ?? 0),
    countColumn("Available", ({ status }) => status?.replicas ?? 0),
    ageColumn,
  ],
});

function countColumn(name: string, read: (scale: Scale) => number): Column {
  return { name, type: "integer", jsonPath: "", read: typed<Scale>(read) };
}
