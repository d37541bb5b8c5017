import { setFlagsFromString } from "node:v8";
import { describe, expect, it } from "vitest";
import { extendObject } from "./extend-object.ts";
import { readJson } from "./json-reader.ts";

describe("an extended object", () => {
  it("has the members of both, and those of the second where both have one", () => {
    expect(extendObject({ a: 1, b: 2 }, { b: 3, c: 4 })).toEqual({ a: 1, b: 3, c: 4 });
    expect(extendObject({}, {})).toEqual({});
  });

  it("leaves the other as it is", () => {
    const base = Object.freeze({ a: 1 });
    expect(extendObject(base, { a: 2 })).toEqual({ a: 2 });
    expect(base).toEqual({ a: 1 });
  });

  it("has a member called __proto__ if the other has, and the prototype of all objects", () => {
    const made = extendObject(readJson('{"__proto__":{"isAdmin":true}}') as object, { a: 1 });
    expect(Object.keys(made)).toEqual(["__proto__", "a"]);
    expect(Object.getPrototypeOf(made)).toBe(Object.prototype);
  });

  it("shares its hidden class with all that are made like it", () => {
    setFlagsFromString("--allow-natives-syntax");
    const isLike = new Function("one", "other", "return %HaveSameMap(one, other)") as (a: object, b: object) => boolean;
    const made = Array.from({ length: 100 }, (_, at) =>
      extendObject({ name: `n${at}`, uid: `u${at}` }, { version: at }),
    );
    expect(made.slice(1).every((each) => isLike(each, made[0] as object))).toBe(true);
  });
});
