import { isJsonObject, type JsonObject, type JsonValue, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { parseTime } from "@milo-quota/kubernetes/protocol/time.ts";
import { type Dimensions, dimensionKey } from "../../../core/resources/fields/dimensions.ts";
import { labelText, sampleLine } from "../../../telemetry/text-format.ts";
import type { LabelOrigin, Path, StateFigure, StateKind } from "./state-kind.ts";

export interface PlaneObject {
  /** Empty for the root. */
  readonly plane: string;
  readonly object: JsonObject;
}

/** The samples of one object, one entry for each metric of its kind in the order of the declarations. */
export function objectLines(kind: StateKind, { plane, object }: PlaneObject): readonly string[] {
  const { prefix, info, hasConditions, figures } = kind;
  const common = commonOf(kind, plane, object);
  const labels = labelText(common);
  const known = Object.entries(info).map(([label, origins]) => [label, firstText(object, origins)] as const);
  const infoLabels = labelText({ ...common, ...Object.fromEntries(known) });
  return [
    sampleLine(`${prefix}_info`, infoLabels, 1),
    ...(hasConditions ? [conditionLines(`${prefix}_status_condition`, labels, object)] : []),
    ...figures.map((figure) => figureLine(`${prefix}_${figure.suffix}`, labels, figure, object)),
  ];
}

function commonOf(
  { type, resourceType, dimensions }: StateKind,
  plane: string,
  object: JsonObject,
): Record<string, string> {
  const quota = resourceType === undefined ? "" : textAt(object, resourceType);
  return {
    component: "quota_system",
    resource_type: quota === "" ? type.plural : quota,
    control_plane: plane,
    uid: textAt(object, ["metadata", "uid"]),
    name: textAt(object, ["metadata", "name"]),
    namespace: textAt(object, ["metadata", "namespace"]),
    ...(dimensions === undefined ? {} : { dimensions: dimensionsText(valueAt(object, dimensions)) }),
  };
}

function dimensionsText(value: JsonValue | undefined): string {
  return value !== undefined && isJsonObject(value) ? dimensionKey(value as Dimensions) : "";
}

function conditionLines(name: string, labels: string, object: JsonObject): string {
  const conditions = valueAt(object, ["status", "conditions"]);
  if (!Array.isArray(conditions)) return "";
  return conditions
    .filter(isJsonObject)
    .map((condition) => {
      const [type, status, reason] = ["type", "status", "reason"].map((field) => textAt(condition, [field]));
      return sampleLine(
        name,
        `${labels},${labelText({ type: type ?? "", status: status ?? "", reason: reason ?? "" })}`,
        1,
      );
    })
    .join("");
}

function figureLine(name: string, labels: string, { path, as }: StateFigure, object: JsonObject): string {
  const value = figureOf(valueAt(object, path), as);
  return value === undefined ? "" : sampleLine(name, labels, value);
}

function figureOf(value: JsonValue | undefined, as: StateFigure["as"]): number | bigint | undefined {
  switch (as) {
    case "number":
      return typeof value === "number" || typeof value === "bigint" ? value : undefined;
    case "switch":
      return typeof value === "boolean" ? Number(value) : undefined;
    case "time":
      return typeof value === "string" ? secondsOf(value) : undefined;
    default:
      return as satisfies never;
  }
}

function secondsOf(text: string): number | undefined {
  const ms = parseTime(text);
  return ms === undefined ? undefined : ms / 1_000;
}

function firstText(object: JsonObject, origins: readonly LabelOrigin[]): string {
  const texts = origins.map((origin) => (typeof origin === "string" ? origin : textAt(object, origin)));
  return texts.find((text) => text !== "") ?? "";
}

function textAt(object: JsonObject, path: Path): string {
  const value = valueAt(object, path);
  return typeof value === "object" || value === undefined ? "" : String(value);
}

function valueAt(object: JsonObject, path: Path): JsonValue | undefined {
  let value: JsonValue | undefined = object;
  for (const field of path) value = value !== undefined && isJsonObject(value) ? ownValue(value, field) : undefined;
  return value;
}
