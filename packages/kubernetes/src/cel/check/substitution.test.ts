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

describe("assignability", () => {
  const widget = objectType("Widget", {});
  const table: Record<string, [from: Type, to: Type, fits: boolean]> = {
    "a type is assignable to itself": [intType, intType, true],
    "a type is not assignable to another": [intType, stringType, false],
    "any type is assignable to dyn": [intType, dynType, true],
    "dyn is assignable to any type": [dynType, intType, true],
    "lists are assignable by their elements": [listType(intType), listType(intType), true],
    "lists are not assignable with other elements": [listType(intType), listType(stringType), false],
    "maps are assignable by keys and values": [mapType(stringType, dynType), mapType(stringType, intType), true],
    "a list is not assignable to a map": [listType(intType), mapType(intType, intType), false],
    "null is assignable to a nullable type": [nullType, nullable(intType), true],
    "null is not assignable to an int": [nullType, intType, false],
    "null is assignable to an object": [nullType, widget, true],
    "null is assignable to a duration": [nullType, durationType, true],
    "null is assignable to an optional": [nullType, optionalType(intType), true],
    "a nullable int is assignable to an int": [nullable(intType), intType, true],
    "an int is assignable to a nullable int": [intType, nullable(intType), true],
    "a nullable int is not assignable to a string": [nullable(intType), stringType, false],
    "types of types are assignable to one another": [typeTypeOf(intType), typeType, true],
    "objects are assignable by name": [widget, objectType("Widget", { other: intType }), true],
    "objects of another name are not assignable": [widget, objectType("Gadget", {}), false],
    "optionals are assignable by their value type": [optionalType(intType), optionalType(stringType), false],
  };
  it.each(Object.entries(table))("%s", (_, [from, to, fits]) => {
    expect(new Substitution().assign([from], [to])).toBe(fits);
  });
});

describe("the binding", () => {
  it("of a type parameter is kept", () => {
    const types = new Substitution();
    expect(types.assign([listType(intType)], [listType(a)])).toBe(true);
    expect(formatType(types.resolve(mapType(a, a)))).toBe("map(int, int)");
    expect(types.assign([stringType], [a])).toBe(false);
  });

  it("of a type parameter is rolled back if another argument does not match", () => {
    const types = new Substitution();
    expect(types.assign([intType, stringType], [a, boolType])).toBe(false);
    expect(formatType(types.finish(a))).toBe("dyn");
  });

  it("of a type parameter widens", () => {
    const types = new Substitution();
    expect(types.assign([intType, dynType], [a, a])).toBe(true);
    expect(formatType(types.finish(a))).toBe("dyn");
  });

  it("of a type parameter applies to its aliases", () => {
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

  it("is separate for each use of one signature", () => {
    const types = new Substitution();
    const [first] = types.instantiate([a]);
    const [second] = types.instantiate([a]);
    expect(types.assign([intType, stringType], [first as Type, second as Type])).toBe(true);
  });
});

describe("types that grow exponentially", () => {
  it("become dyn once they are too large", () => {
    let type: Type = intType;
    for (let level = 0; level < 60; level += 1) type = mapType(type, type);
    expect(formatType(type).length).toBeLessThan(5_000);
  });

  it("are abandoned after a number of steps", () => {
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
