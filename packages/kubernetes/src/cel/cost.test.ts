import { describe, expect, it } from "vitest";
import { dynType } from "./cel-type.ts";
import { compile } from "./compile.ts";
import { createEnvironment } from "./environment.ts";
import { defaultCostLimit } from "./limits.ts";

const environment = createEnvironment({ variables: { trigger: dynType } });

const trigger = {
  metadata: { name: "a", labels: { env: "prod" } },
  spec: { tier: "premium", replicas: 3, items: [1, 2, 3] },
};

function run(expression: string, bindings: Record<string, unknown> = { trigger }, costLimit?: number) {
  const compiled = compile(expression, environment);
  if (!compiled.ok) throw new Error(compiled.issues.map((issue) => issue.message).join("; "));
  return compiled.program.evaluate(bindings, costLimit === undefined ? undefined : { costLimit });
}

describe("the cost of an evaluation", () => {
  // Measured on a kube-apiserver's own environment, version 1.34.
  const asInKubernetes: Record<string, number> = {
    true: 0,
    "trigger.spec.tier": 3,
    "has(trigger.spec.tier)": 2,
    "trigger.spec.items[1]": 4,
    'trigger.metadata.labels["env"] == "prod"': 5,
    'trigger.spec.tier.startsWith("pre")': 4,
    'trigger.spec.tier.contains("pre")': 4,
    'trigger.spec.tier.matches("^[a-z]+$")': 5,
    "size(trigger.spec.tier)": 4,
    'trigger.spec.tier < "zzz"': 4,
    "trigger.spec.tier.lowerAscii()": 4,
    'trigger.spec.tier.split("e")': 5,
    '"env" in trigger.metadata.labels': 4,
    "trigger.spec.items == [1, 2, 3]": 4,
    'trigger.spec.replicas > 2 ? "many" : "few"': 4,
    "string(trigger.spec.replicas)": 4,
    "[trigger.spec.tier]": 13,
    '{"a": trigger.spec.tier}': 33,
    "trigger.spec.items + [1, 2]": 4,
    "trigger.spec.items.all(x, x > 0)": 19,
    "trigger.spec.items.exists(x, x > 5)": 22,
    "trigger.spec.items.exists_one(x, x > 1)": 15,
    "trigger.spec.items.map(x, x * 2)": 46,
    "trigger.spec.items.map(x, x > 1, x * 2)": 38,
    "trigger.spec.items.filter(x, x > 1)": 36,
    '{"a": 1}.transformMap(k, v, v + 1)': 6,
    "[[1, 2], [3]].map(x, x.map(y, y * 2))": 71,
    "[3, 1, 2].min()": 3,
    "trigger.spec.items.sum()": 6,
    'quantity("1").isLessThan(quantity("2"))': 3,
    "sets.contains([1, 2], [1])": 3,
    "sets.equivalent([1, 1, 2], [1, 2])": 13,
    'timestamp("2020-01-01T00:00:00Z").getFullYear()': 1,
    'strings.quote("abc")': 1,
    "!true || false": 1,
  };
  it.each(Object.entries(asInKubernetes))("of %s is %i, as in Kubernetes", (expression, cost) => {
    expect(run(expression).cost).toBe(cost);
  });

  const text = "a".repeat(1000);
  const many = Array.from({ length: 1000 }, (_, index) => index);
  const wide = Object.fromEntries(many.map((index) => [`k${index}`, index]));
  // Where Kubernetes charges one unit regardless of the argument's length, length is charged here.
  const beyondKubernetes: Record<string, [expression: string, cost: number]> = {
    "counting the characters of a long string": ["size(trigger.text)", 2 + 11],
    "joining long lists": ["trigger.many + trigger.many", 4 + 1990],
    "counting the entries of a large map": ["size(trigger.wide)", 2 + 990],
    "comparing large maps": ["trigger.wide == trigger.wide", 4 + 1 + 2 * 990],
    "comparing large maps inside lists": ["[trigger.wide] == [trigger.wide]", 24 + 1 + 2 + 2 * 990],
    "walking a large map, even to its first key": ["trigger.wide.exists(k, true)", 2 + 990 + 4],
    "making a string longer": ['trigger.text.replace("a", "bbb")', 2 + 200 + 200],
    "a pattern built at run time": ['"a".matches("a" + "b")', 1 + 1 + 12],
    "every further search of findAll": ['"aaa".findAll("a")', 1 + 3],
    "rendering the arguments of format": ['"%s".format([trigger.text])', 1 + 12 + 1 + 100],
  };
  it.each(Object.entries(beyondKubernetes))("counts %s", (_, [expression, cost]) => {
    expect(run(expression, { trigger: { text, many, wide } }).cost).toBe(cost);
  });

  it("does not depend on previous evaluations", () => {
    const expression = '"abc".matches(trigger.metadata.name + "b+")';
    expect([run(expression).cost, run(expression).cost]).toEqual([run(expression).cost, run(expression).cost]);
  });

  it("is reported for failures too", () => {
    expect(run("trigger.spec.none")).toMatchObject({ ok: false, cost: 3 });
  });
});

describe("the cost limit", () => {
  it("is a million", () => {
    expect(defaultCostLimit).toBe(1_000_000);
    const items = Array.from({ length: 1001 }, (_, index) => index);
    const result = run("trigger.all(x, trigger.all(y, y >= 0))", { trigger: items });
    expect(result).toMatchObject({ ok: false, error: { kind: "cost-exceeded" } });
  });

  it("allows exactly its value", () => {
    expect(run("trigger.spec.tier", { trigger }, 3).ok).toBe(true);
    expect(run("trigger.spec.tier", { trigger }, 2)).toMatchObject({
      ok: false,
      error: { kind: "cost-exceeded", message: "operation cancelled: actual cost limit exceeded" },
    });
  });

  it("reports the position where it was exceeded", () => {
    const result = run("true &&\n  [1, 2].all(x, x > 0)", {}, 5);
    expect(!result.ok && [result.error.line, result.error.column]).toEqual([2, 13]);
  });

  const unabsorbed = ["size(trigger.spec.tier) > 0 || true", "trigger.spec.items.exists(x, true) || true"];
  it.each(unabsorbed)("is never absorbed: %s", (expression) => {
    expect(run(expression, { trigger }, 1)).toMatchObject({ ok: false, error: { kind: "cost-exceeded" } });
  });

  it("stops before building a result", () => {
    const result = run('trigger.replace("a", trigger)', { trigger: "a".repeat(100_000) });
    expect(result).toMatchObject({ ok: false, error: { kind: "cost-exceeded" } });
  });
});
