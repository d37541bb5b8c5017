import { isJsonObject, type JsonValue, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { goText } from "../go-text.ts";
import { compareValues } from "./json-path-compare.ts";
import type { JsonPath, PathStep } from "./json-path-reader.ts";

/** All values at a path; undefined where the path does not apply, such as an index into a string. */
export function findValues(path: JsonPath, root: JsonValue): readonly JsonValue[] | undefined {
  let found: readonly JsonValue[] | undefined = [root];
  for (const step of path) {
    found = found === undefined ? undefined : taken(step, found);
    if (found === undefined) return undefined;
  }
  return found;
}

function taken(step: PathStep, values: readonly JsonValue[]): readonly JsonValue[] | undefined {
  switch (step.step) {
    case "field":
      return values.flatMap((value) => {
        const member = isJsonObject(value) ? ownValue(value, step.name) : undefined;
        return member === undefined ? [] : [member];
      });
    case "literal":
      return values.map(() => step.value);
    case "wildcard":
      return values.flatMap(members);
    case "descent":
      return values.flatMap(withDescendants);
    case "union":
      return joined(step.paths.map((path) => follow(path, values)));
    case "filter":
      return joined(values.map((value) => filtered(step, value)));
    case "index":
    case "slice":
      return joined(values.filter((value) => value !== null).map((value) => sliced(step, value)));
    default:
      throw new Error(`unknown step ${JSON.stringify(step satisfies never)}`);
  }
}

function follow(path: JsonPath, values: readonly JsonValue[]): readonly JsonValue[] | undefined {
  return joined(values.map((value) => findValues(path, value)));
}

function joined(parts: readonly (readonly JsonValue[] | undefined)[]): readonly JsonValue[] | undefined {
  return parts.includes(undefined) ? undefined : (parts as readonly (readonly JsonValue[])[]).flat();
}

function members(value: JsonValue): readonly JsonValue[] {
  if (Array.isArray(value)) return value;
  return isJsonObject(value) ? Object.values(value) : [];
}

function withDescendants(value: JsonValue): readonly JsonValue[] {
  const inner = members(value);
  return inner.length === 0 ? [] : [value, ...inner.flatMap(withDescendants)];
}

type Sliced = Extract<PathStep, { step: "index" | "slice" }>;

function sliced(step: Sliced, value: JsonValue): readonly JsonValue[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const items: readonly JsonValue[] = value;
  const { length } = items;
  const given = step.step === "index" ? step.at : (step.from ?? 0);
  const from = given < 0 ? given + length : given;
  const end = step.step === "index" ? from + 1 : endOf(step.to, length);
  if (from === end) return [];
  if (from < 0 || from >= length || end < 0 || end > length || from > end) return undefined;
  const by = step.step === "slice" ? (step.by ?? 1) : 1;
  return by <= 0 ? undefined : items.slice(from, end).filter((_, at) => at % by === 0);
}

function endOf(to: number | undefined, length: number): number {
  if (to === undefined) return length;
  return to < 0 ? to + length : to;
}

function filtered(step: Extract<PathStep, { step: "filter" }>, value: JsonValue): readonly JsonValue[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const kept: JsonValue[] = [];
  for (const item of value as readonly JsonValue[]) {
    const isKept = passes(step, item);
    if (isKept === undefined) return undefined;
    if (isKept) kept.push(item);
  }
  return kept;
}

/** Undefined when the two sides cannot be compared. */
function passes(step: Extract<PathStep, { step: "filter" }>, item: JsonValue): boolean | undefined {
  const left = findValues(step.left, item);
  if (step.operator === "exists") return left !== undefined && left.length > 0;
  const right = findValues(step.right, item);
  if (left === undefined || right === undefined || left.length > 1 || right.length > 1) return undefined;
  const [[first], [second]] = [left, right];
  if (first === undefined || second === undefined) return false;
  return compareValues(first, step.operator, second);
}

/** The value of a field for selectors, empty when it is absent. */
export function fieldText(path: JsonPath, object: JsonValue): string {
  const [value] = findValues(path, object) ?? [];
  return value === undefined || value === null ? "" : goText(value);
}
