import { setFlagsFromString } from "node:v8";
import { describe, expect, it } from "vitest";
import { extendObject } from "./extend-object.ts";
import { readJson } from "./json-reader.ts";

describe("an extended object", () => {
  it("has the members of both, preferring those of the second", () => {
    expect(extendObject({ a: 1, b: 2 }, { b: 3, c: 4 })).toEqual({ a: 1, b: 3, c: 4 });
    expect(extendObject({}, {})).toEqual({});
  });

  it("does not change the source object", () => {
    const base = Object.freeze({ a: 1 });
    expect(extendObject(base, { a: 2 })).toEqual({ a: 2 });
    expect(base).toEqual({ a: 1 });
  });

  it("copies an own member __proto__, and keeps the default prototype", () => {
    const made = extendObject(readJson('{"__proto__":{"isAdmin":true}}') as object, { a: 1 });
    expect(Object.keys(made)).toEqual(["__proto__", "a"]);
    expect(Object.getPrototypeOf(made)).toBe(Object.prototype);
  });

  it("shares its hidden class with objects created in the same way", () => {
    setFlagsFromString("--allow-natives-syntax");
    const isLike = new Function("one", "other", "return %HaveSameMap(one, other)") as (a: object, b: object) => boolean;
    const made = Array.from({ length: 100 }, (_, at) =>
      extendObject({ name: `n${at}`, uid: `u${at}` }, { version: at }),
    );
    expect(made.slice(1).every((each) => isLike(each, made[0] as object))).toBe(true);
  });
});
