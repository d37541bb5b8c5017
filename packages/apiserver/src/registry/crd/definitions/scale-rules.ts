import { type FieldIssue, invalid } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { typeFault } from "@milo-quota/kubernetes/protocol/json-type.ts";
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ScalePaths } from "./definition.ts";

const int32Max = 2 ** 31 - 1;

/** The replicas path must lead to an integer and the selector path to a string. */
export function scaleIssues(
  object: JsonObject,
  scale: ScalePaths | undefined,
  part: "all" | "status",
): readonly FieldIssue[] {
  if (scale === undefined) return [];
  return [
    ...(part === "all" ? countIssues(object, scale.specReplicasPath) : []),
    ...countIssues(object, scale.statusReplicasPath),
    ...(scale.labelSelectorPath === undefined ? [] : textIssues(object, scale.labelSelectorPath)),
  ];
}

function countIssues(object: JsonObject, path: string): readonly FieldIssue[] {
  const found = valueAt(object, path);
  if (found.fault !== undefined) return [invalid(path, 0, found.fault)];
  const { value } = found;
  if (value === undefined) return [];
  if (typeof value !== "bigint" && !Number.isSafeInteger(value)) {
    return [invalid(path, 0, typeFault("integer", value))];
  }
  const count = value as number | bigint;
  if (count < 0) return [invalid(path, count, "should be a non-negative integer")];
  return count > int32Max ? [invalid(path, count, `should be less than or equal to ${int32Max}`)] : [];
}

function textIssues(object: JsonObject, path: string): readonly FieldIssue[] {
  const found = valueAt(object, path);
  if (found.fault !== undefined) return [invalid(path, "", found.fault)];
  if (found.value === undefined || typeof found.value === "string") return [];
  return [invalid(path, "", typeFault("string", found.value))];
}

interface Found {
  readonly value?: JsonValue;
  readonly fault?: string;
}

function valueAt(object: JsonObject, path: string): Found {
  let value: JsonValue = object;
  for (const step of path.replace(/^\./, "").split(".")) {
    if (!isJsonObject(value)) return { fault: typeFault("object", value) };
    const next = ownValue(value, step);
    if (next === undefined) return {};
    value = next;
  }
  return { value };
}
