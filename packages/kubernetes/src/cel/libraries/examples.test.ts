import { describe, expect, it } from "vitest";
import { compile } from "../compile.ts";
import { createEnvironment } from "../environment.ts";
import { everyLibrary } from "./catalogue.ts";

const environment = createEnvironment();

function answer(expression: string): unknown {
  const compiled = compile(expression, environment);
  if (!compiled.ok) return compiled.issues;
  const result = compiled.program.evaluate({});
  return result.ok ? result.value : result.error;
}

describe.each(everyLibrary)("the examples of the library $name", ({ functions, macros }) => {
  it.each([...functions, ...macros].map(({ name, example }) => [name, example]))("%s: %s is true", (_, example) => {
    expect(answer(example)).toBe(true);
  });

  it.each([...functions, ...macros].map(({ name, example }) => [name, example]))(
    "%s appears in its own",
    (name, example) => {
      const written = name.replace(/^_|_$/g, "").replace("_:_", ":").split("_")[0]?.replace("@", "") ?? "";
      expect(example).toContain(written);
    },
  );
});

describe("libraries", () => {
  it("have unique names", () => {
    const names = everyLibrary.map((library) => library.name);
    expect(new Set(names).size).toBe(names.length);
  });

  it("declare each function once within one library", () => {
    for (const { functions } of everyLibrary) {
      const names = functions.map((declared) => declared.name);
      expect(new Set(names).size).toBe(names.length);
    }
  });
});
