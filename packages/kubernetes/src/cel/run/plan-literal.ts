import type { ListLiteral, MapLiteral } from "../syntax/ast.ts";
import { failed, noSuchOverload } from "../values/failure.ts";
import { MapBuilder } from "../values/maps.ts";
import { ListValue, Optional, type Outcome, type Value } from "../values/value.ts";
import { Frame } from "./frame.ts";
import type { Planning } from "./planning.ts";
import { constantPlan, type Planned, type Step } from "./step.ts";

const listCost = 10;
const mapCost = 30;

export function planList(planning: Planning, { elements, offset }: ListLiteral): Planned {
  const parts = elements.map(({ value, optional }) => ({ ...planning.plan(value), optional }));
  const constants = parts.flatMap(({ constant, optional }) => (constant === undefined || optional ? [] : [constant]));
  if (constants.length === parts.length) return constantPlan(new ListValue(constants));
  const step: Step = (frame) => {
    const items: Value[] = [];
    for (const part of parts) {
      const item = elementOf(part, frame);
      if (failed(item)) return item.at(offset);
      if (item !== undefined) items.push(item);
    }
    frame.spend(listCost, offset);
    return new ListValue(items);
  };
  return { step };
}

interface Element {
  readonly step: Step;
  /** With a question mark: an optional, whose value is included if it has one. */
  readonly optional: boolean;
}

function elementOf({ step, optional }: Element, frame: Frame): Outcome | undefined {
  const value = step(frame);
  if (!optional || failed(value)) return value;
  return value instanceof Optional ? value.value : noSuchOverload();
}

export function planMap(planning: Planning, { entries, offset }: MapLiteral): Planned {
  const parts = entries.map(({ key, value, optional }) => {
    return { key: planning.plan(key), value: planning.plan(value), optional };
  });
  const constant = parts.every(isConstantEntry) ? buildMap(parts, nothingBound) : undefined;
  if (constant !== undefined && !failed(constant)) return constantPlan(constant);
  return { step: mapStep(parts, offset) };
}

interface Entry {
  readonly key: Planned;
  readonly value: Planned;
  readonly optional: boolean;
}

/** For constant steps. */
const nothingBound = new Frame({}, 0);

function isConstantEntry({ key, value, optional }: Entry): boolean {
  return key.constant !== undefined && value.constant !== undefined && !optional;
}

function mapStep(entries: readonly Entry[], offset: number): Step {
  return (frame) => {
    const map = buildMap(entries, frame);
    if (failed(map)) return map.at(offset);
    frame.spend(mapCost, offset);
    return map;
  };
}

function buildMap(entries: readonly Entry[], frame: Frame): Outcome {
  const map = new MapBuilder();
  for (const entry of entries) {
    const key = entry.key.step(frame);
    if (failed(key)) return key;
    const value = elementOf({ step: entry.value.step, optional: entry.optional }, frame);
    if (failed(value)) return value;
    const refused = value === undefined ? undefined : map.insert(key, value);
    if (refused !== undefined) return refused;
  }
  return map.finish();
}
