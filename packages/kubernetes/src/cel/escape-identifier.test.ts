import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { intType, stringType } from "./cel-type.ts";
import { compile } from "./compile.ts";
import { createEnvironment } from "./environment.ts";
import { escapeIdentifier, propertiesType } from "./escape-identifier.ts";

describe("the names of properties", () => {
  const table: Record<string, [property: string, name: string]> = {
    "stay as they are": ["replicas", "replicas"],
    "stay with one underscore": ["_a_b", "_a_b"],
    "spell dots": ["a.b", "a__dot__b"],
    "spell dashes": ["a-b", "a__dash__b"],
    "spell slashes": ["a/b", "a__slash__b"],
    "spell two underscores": ["a__b", "a__underscores__b"],
    "spell three underscores as two and one": ["a___b", "a__underscores___b"],
    "spell what looks like an escape": ["a__dot__b", "a__underscores__dot__underscores__b"],
    "spell everything at once": ["a.-/__b", "a__dot____dash____slash____underscores__b"],
    "mark reserved words": ["namespace", "__namespace__"],
    "mark keywords": ["in", "__in__"],
    "do not mark functions": ["size", "size"],
  };
  it.each(Object.entries(table))("%s", (_, [property, name]) => {
    expect(escapeIdentifier(property)).toBe(name);
  });

  it.each(["", "1up", "@", "a b", "é", "👑"])("cannot be given to %j", (property) => {
    expect(escapeIdentifier(property)).toBeUndefined();
  });

  it("are identifiers, and differ where properties do", () => {
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

  it("is read by escaped names", () => {
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
