import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownValue,
  setOwn,
} from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ApiObject } from "../kinds/api-object.ts";

/** Where the objects of a kind count their replicas; paths such as `.spec.replicas`. */
export interface Scaling {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  /** Where the selector of the replicas stands as a text, if it does. */
  readonly labelSelectorPath?: string | undefined;
  /** The selector of the replicas where it is no text. */
  readonly selector?: (object: ApiObject) => string;
}

/** What a Scale shows of an object. */
export interface Figures {
  /** Undefined when the object does not say. */
  readonly wanted: number | undefined;
  readonly present: number;
  readonly selector: string;
}

export function figuresOf(object: ApiObject, scaling: Scaling): Figures {
  const { labelSelectorPath, selector } = scaling;
  return {
    wanted: countAt(object, scaling.specReplicasPath),
    present: countAt(object, scaling.statusReplicasPath) ?? 0,
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
