import { expect, it } from "vitest";
import type { JsonValue } from "../protocol/json-value.ts";
import { compileSchema } from "./compiled-schema.ts";
import { cachedCheck } from "./validation-cache.ts";

const [schema, other] = [compileSchema({ type: "object" }), compileSchema({ type: "object" })];

const cases: Record<string, [part: JsonValue, passes: boolean, checks: number]> = {
  "once if it passed": [{ a: 1 }, true, 1],
  "once if it passed, a list too": [["a"], true, 1],
  "each time if it did not pass": [{ a: 1 }, false, 2],
  "each time if it is not an object, and cannot be cached": ["a", true, 2],
};
for (const [name, [part, passes, checks]] of Object.entries(cases)) {
  it(`a part is checked ${name}`, () => {
    let seen = 0;
    const check = cachedCheck(() => {
      seen += 1;
      return passes;
    });
    expect([check(schema, part), check(schema, part), seen]).toEqual([passes, passes, checks]);
  });
}

it("a part that passed is checked again by another schema", () => {
  const check = cachedCheck((compiled) => compiled === schema);
  const part = {};
  expect([check(schema, part), check(other, part)]).toEqual([true, false]);
});
