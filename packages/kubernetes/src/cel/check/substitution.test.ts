import { describe, expect, it } from "vitest";
import {
  boolType,
  durationType,
  dynType,
  formatType,
  intType,
  listType,
  mapType,
  nullable,
  nullType,
  objectType,
  optionalType,
  parameterType,
  stringType,
  type Type,
  typeType,
  typeTypeOf,
} from "../cel-type.ts";
import { Substitution } from "./substitution.ts";

const a = parameterType("A");

describe("what fits where", () => {
  const widget = objectType("Widget", {});
  const table: Record<string, [from: Type, to: Type, fits: boolean]> = {
    "a type fits itself": [intType, intType, true],
    "a type does not fit another": [intType, stringType, false],
    "anything fits dyn": [intType, dynType, true],
    "dyn fits anything": [dynType, intType, true],
    "lists fit by their elements": [listType(intType), listType(intType), true],
    "lists do not fit by other elements": [listType(intType), listType(stringType), false],
    "maps fit by keys and values": [mapType(stringType, dynType), mapType(stringType, intType), true],
    "a list does not fit a map": [listType(intType), mapType(intType, intType), false],
    "null fits what may be null": [nullType, nullable(intType), true],
    "null does not fit an int": [nullType, intType, false],
    "null fits an object": [nullType, widget, true],
    "null fits a duration": [nullType, durationType, true],
    "null fits an optional": [nullType, optionalType(intType), true],
    "a nullable int fits an int": [nullable(intType), intType, true],
    "an int fits a nullable int": [intType, nullable(intType), true],
    "a nullable int does not fit a string": [nullable(intType), stringType, false],
    "types of types fit one another": [typeTypeOf(intType), typeType, true],
    "objects fit by name": [widget, objectType("Widget", { other: intType }), true],
    "objects of another name do not": [widget, objectType("Gadget", {}), false],
    "optionals fit by what is inside": [optionalType(intType), optionalType(stringType), false],
  };
  it.each(Object.entries(table))("%s", (_, [from, to, fits]) => {
    expect(new Substitution().assign([from], [to])).toBe(fits);
  });
});

describe("what is learned", () => {
  it("of a parameter stays", () => {
    const types = new Substitution();
    expect(types.assign([listType(intType)], [listType(a)])).toBe(true);
    expect(formatType(types.resolve(mapType(a, a)))).toBe("map(int, int)");
    expect(types.assign([stringType], [a])).toBe(false);
  });

  it("of a parameter is forgotten if another argument does not fit", () => {
    const types = new Substitution();
    expect(types.assign([intType, stringType], [a, boolType])).toBe(false);
    expect(formatType(types.finish(a))).toBe("dyn");
  });

  it("of a parameter widens", () => {
    const types = new Substitution();
    expect(types.assign([intType, dynType], [a, a])).toBe(true);
    expect(formatType(types.finish(a))).toBe("dyn");
  });

  it("of one parameter holds for those that equal it", () => {
    const types = new Substitution();
    const [one, two] = [types.fresh(), types.fresh()];
    expect(types.assign([one, listType(two)], [two, listType(intType)])).toBe(true);
    expect(formatType(types.finish(one))).toBe("int");
  });

  it("never makes a type contain itself", () => {
    const types = new Substitution();
    const one = types.fresh();
    expect(types.assign([listType(one)], [one])).toBe(false);
    expect(formatType(types.finish(one))).toBe("dyn");
  });

  it("is not mixed up between uses of one signature", () => {
    const types = new Substitution();
    const [first] = types.instantiate([a]);
    const [second] = types.instantiate([a]);
    expect(types.assign([intType, stringType], [first as Type, second as Type])).toBe(true);
  });
});

describe("types that explode", () => {
  it("become dyn once they are too large", () => {
    let type: Type = intType;
    for (let level = 0; level < 60; level += 1) type = mapType(type, type);
    expect(formatType(type).length).toBeLessThan(5_000);
  });

  it("are given up on after a while", () => {
    const types = new Substitution();
    let names = Array.from({ length: 30 }, () => types.fresh());
    for (let round = 0; round < 29 && !types.exhausted; round += 1) {
      const [first, ...rest] = names;
      for (const next of rest.slice(0, 1)) types.assign([mapType(next, next)], [first as Type]);
      names = rest;
    }
    const root = parameterType("_var1");
    types.finish(root);
    expect(types.exhausted).toBe(true);
    expect(formatType(types.finish(root))).toBe("dyn");
  });
});
