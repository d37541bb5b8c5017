import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownValue,
  setOwn,
} from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ApiObject } from "../kinds/api-object.ts";

/** Where objects of a kind have their replica counts; paths such as `.spec.replicas`. */
export interface Scaling {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  /** The path of the selector as a string, if there is one. */
  readonly labelSelectorPath?: string | undefined;
  /** Computes the selector where it is not a string. */
  readonly selector?: (object: ApiObject) => string;
}

/** The replica counts in a Scale. */
export interface ReplicaCounts {
  /** Undefined when the object has no count. */
  readonly desired: number | undefined;
  readonly current: number;
  readonly selector: string;
}

export function replicaCounts(object: ApiObject, scaling: Scaling): ReplicaCounts {
  const { labelSelectorPath, selector } = scaling;
  return {
    desired: countAt(object, scaling.specReplicasPath),
    current: countAt(object, scaling.statusReplicasPath) ?? 0,
    selector: selector?.(object) ?? (labelSelectorPath === undefined ? "" : textAt(object, labelSelectorPath)),
  };
}

export function withReplicas(object: ApiObject, { specReplicasPath }: Scaling, replicas: number): ApiObject {
  return withValueAt(object, stepsOf(specReplicasPath), replicas) as unknown as ApiObject;
}

function countAt(object: ApiObject, path: string): number | undefined {
  const value = valueAt(object, path);
  return typeof value === "number" ? value : undefined;
}

function textAt(object: ApiObject, path: string): string {
  const value = valueAt(object, path);
  return typeof value === "string" ? value : "";
}

function valueAt(object: ApiObject, path: string): JsonValue | undefined {
  let value: JsonValue | undefined = object;
  for (const step of stepsOf(path)) value = isJsonObject(value) ? ownValue(value, step) : undefined;
  return value;
}

function withValueAt(object: JsonObject, [first = "", ...rest]: readonly string[], value: JsonValue): JsonObject {
  const inner = ownValue(object, first);
  const changed = { ...object };
  setOwn(changed, first, rest.length === 0 ? value : withValueAt(isJsonObject(inner) ? inner : {}, rest, value));
  return changed;
}

function stepsOf(path: string): readonly string[] {
  return path.replace(/^\./, "").split(".");
}
