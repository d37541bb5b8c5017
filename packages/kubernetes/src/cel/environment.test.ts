import { describe, expect, it } from "vitest";
import { dynType, intType, listType, stringType } from "./cel-type.ts";
import { compile } from "./compile.ts";
import { createEnvironment, extendEnvironment } from "./environment.ts";
import { kubernetesLibraries } from "./libraries/catalogue.ts";
import { listsLibrary } from "./libraries/lists.ts";
import { standardLibrary } from "./libraries/standard.ts";
import { stringsLibrary } from "./libraries/strings.ts";

function message(expression: string, environment = createEnvironment()): string | undefined {
  const compiled = compile(expression, environment);
  return compiled.ok ? undefined : compiled.issues[0].message;
}

describe("an environment", () => {
  it("has the declared variables", () => {
    const environment = createEnvironment({ variables: { x: intType } });
    expect(message("x + 1", environment)).toBeUndefined();
    expect(message("y", environment)).toBe("undeclared reference to 'y' (in container '')");
  });

  it("can be extended without changing", () => {
    const small = createEnvironment({ variables: { x: intType } });
    const large = extendEnvironment(small, { y: stringType });
    expect(message("x == 1 && y == 'a'", large)).toBeUndefined();
    expect(message("y", small)).toBe("undeclared reference to 'y' (in container '')");
    expect(large.functions).toBe(small.functions);
  });

  it("replaces a variable when extended with one of the same name", () => {
    const environment = extendEnvironment(createEnvironment({ variables: { x: intType } }), { x: listType(intType) });
    expect(message("x[0] + 1", environment)).toBeUndefined();
  });

  it("offers the given libraries only", () => {
    const standard = createEnvironment({ libraries: [standardLibrary] });
    expect(message("size('a') == 1", standard)).toBeUndefined();
    expect(message("'a'.charAt(0)", standard)).toBe("undeclared reference to 'charAt' (in container '')");
    expect(message("[1].all(i, v, true)", standard)).toBe("undeclared reference to 'all' (in container '')");
    expect(message("quantity('1')", standard)).toBe("undeclared reference to 'quantity' (in container '')");
  });

  it("joins functions of one name from several libraries", () => {
    const environment = createEnvironment({ libraries: [standardLibrary, stringsLibrary, listsLibrary] });
    expect(message("'abc'.indexOf('b') == [1].indexOf(1)", environment)).toBeUndefined();
    const strings = createEnvironment({ libraries: [standardLibrary, stringsLibrary] });
    expect(message("[1].indexOf(1)", strings)).toBe(
      "found no matching overload for 'indexOf' applied to 'list(int).(int)'",
    );
  });

  it("can equal that of a kube-apiserver, without cel.bind", () => {
    const environment = createEnvironment({ libraries: kubernetesLibraries });
    expect(message("[1].all(i, v, v > i) && quantity('1').sign() == 1", environment)).toBeUndefined();
    expect(message("cel.bind(x, 1, x)", environment)).toBe("undeclared reference to 'cel' (in container '')");
  });

  it("resolves names in its container first, then in outer ones", () => {
    const variables = { "a.b.x": intType, "a.x": stringType, x: dynType };
    const inside = (container: string) => createEnvironment({ variables, container });
    expect(message("x + 1", inside("a.b"))).toBeUndefined();
    expect(message("x + 'a'", inside("a"))).toBeUndefined();
    expect(message("x + 'a' + 1", inside("a"))).toBe("found no matching overload for '_+_' applied to '(string, int)'");
    expect(message(".x.anything", inside("a.b"))).toBeUndefined();
    expect(message("y", inside("a.b"))).toBe("undeclared reference to 'y' (in container 'a.b')");
  });

  it("rejects lists of mixed types, unless configured otherwise", () => {
    expect(message("[1, 'a']")).toBe("expected type 'int' but found 'string'");
    expect(message("[1, 'a']", createEnvironment({ mixedLiterals: true }))).toBeUndefined();
    expect(message("'%d%s'.format([1, 'a'])")).toBeUndefined();
  });
});
