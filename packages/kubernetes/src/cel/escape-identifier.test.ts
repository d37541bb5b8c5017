import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { intType, stringType } from "./cel-type.ts";
import { compile } from "./compile.ts";
import { createEnvironment } from "./environment.ts";
import { escapeIdentifier, propertiesType } from "./escape-identifier.ts";

describe("the names of properties", () => {
  const table: Record<string, [property: string, name: string]> = {
    "are unchanged": ["replicas", "replicas"],
    "are unchanged with one underscore": ["_a_b", "_a_b"],
    "escape dots": ["a.b", "a__dot__b"],
    "escape dashes": ["a-b", "a__dash__b"],
    "escape slashes": ["a/b", "a__slash__b"],
    "escape two underscores": ["a__b", "a__underscores__b"],
    "escape three underscores as two and one": ["a___b", "a__underscores___b"],
    "escape an apparent escape": ["a__dot__b", "a__underscores__dot__underscores__b"],
    "escape all characters together": ["a.-/__b", "a__dot____dash____slash____underscores__b"],
    "escape reserved words": ["namespace", "__namespace__"],
    "escape keywords": ["in", "__in__"],
    "do not escape functions": ["size", "size"],
  };
  it.each(Object.entries(table))("%s", (_, [property, name]) => {
    expect(escapeIdentifier(property)).toBe(name);
  });

  it.each(["", "1up", "@", "a b", "é", "👑"])("cannot represent %j", (property) => {
    expect(escapeIdentifier(property)).toBeUndefined();
  });

  it("are valid, distinct identifiers for distinct properties", () => {
    const property = fc.stringMatching(/^[a-z_./-][a-z0-9_./-]{0,12}$/);
    fc.assert(
      fc.property(property, property, (one, other) => {
        expect(escapeIdentifier(one)).toMatch(/^[A-Za-z_][A-Za-z0-9_]*$/);
        expect(escapeIdentifier(one) === escapeIdentifier(other)).toBe(one === other);
      }),
    );
  });
});

describe("an object typed by its schema", () => {
  const self = propertiesType("Widget", { "my-field": intType, namespace: stringType, "no way": intType });
  const environment = createEnvironment({ variables: { self } });

  function answer(expression: string): unknown {
    const compiled = compile(expression, environment);
    if (!compiled.ok) return compiled.issues[0].message;
    const result = compiled.program.evaluate({ self: { "my-field": 5, namespace: "default" } });
    return result.ok ? result.value : result.error.message;
  }

  it("is accessed by escaped names", () => {
    expect(answer("self.my__dash__field + 1")).toBe(6n);
    expect(answer("self.__namespace__")).toBe("default");
    expect(answer("has(self.my__dash__field)")).toBe(true);
    expect(answer("self.?my__dash__field.orValue(0)")).toBe(5n);
    expect(answer("[self].map(s, s.my__dash__field)[0]")).toBe(5n);
  });

  it("has no other names", () => {
    expect(answer("self.namespace")).toBe("undefined field 'namespace'");
    expect(answer("self.`my-field`")).toBe("undefined field 'my-field'");
  });
});
