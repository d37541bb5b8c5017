import type { Program } from "@milo-quota/kubernetes/cel/program.ts";
import type { JsonObject, JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { compileSchema } from "@milo-quota/kubernetes/schema/compiled-schema.ts";
import type { Schema } from "@milo-quota/kubernetes/schema/structural-schema.ts";
import { describe, expect, it } from "vitest";
import { type CompiledRule, compileRules } from "./compiled-rules.ts";
import { evaluateRules } from "./evaluate-rules.ts";

const rules = ["self.count > 0", "self.count >= oldSelf.count"].map((rule) => ({ rule }));
const schema: Schema = {
  type: "object",
  properties: {
    spec: { type: "object", properties: { count: { type: "integer" } }, "x-kubernetes-validations": rules },
  },
};
const compiled = compileSchema(schema);
const table = compileRules(compiled);

/** The rules that a new state of an object violates. */
function broken(value: JsonObject, old?: JsonValue): readonly string[] {
  return evaluateRules(compiled, table, { value, old }).issues.map(({ message }) => message.replace(/^.*: /, ""));
}

describe("a cached rule result", () => {
  const spec = { count: 2 };

  it("applies to the same value in the next state", () => {
    expect([broken({ spec }), broken({ spec }, { spec }), broken({ spec }, { spec })]).toEqual([[], [], []]);
  });

  it("is evaluated again for another old value", () => {
    expect(broken({ spec }, { spec: { count: 1 } })).toEqual([]);
    expect(broken({ spec }, { spec: { count: 3 } })).toEqual(["self.count >= oldSelf.count"]);
    expect(broken({ spec }, { spec: { count: 2 } })).toEqual([]);
  });

  it("is evaluated again for another value, and after a violation", () => {
    const wrong = { count: 0 };
    expect([broken({ spec: wrong }), broken({ spec: wrong })]).toEqual([["self.count > 0"], ["self.count > 0"]]);
  });
});

describe("a rule result cached by the text of a value", () => {
  /** A rule that counts its evaluations. */
  function counted(type: "integer" | "number") {
    const part: Schema = {
      type: "object",
      properties: { count: { type } },
      "x-kubernetes-validations": [{ rule: "1.0 / double(self.count) > 0.0" }],
    };
    const whole = compileSchema({ type: "object", properties: { part } });
    const evaluations = { count: 0 };
    const counting = (rule: CompiledRule): CompiledRule => {
      const evaluate: Program<boolean>["evaluate"] = (...given) => {
        evaluations.count += 1;
        return (rule.program as Program<boolean>).evaluate(...given);
      };
      return { ...rule, program: { evaluate } as Program<boolean> };
    };
    const table = new Map([...compileRules(whole)].map(([at, all]) => [at, all.map(counting)]));
    const issues = (count: JsonValue) => evaluateRules(whole, table, { value: { part: { count } } }).issues.length;
    return { evaluations, issues };
  }

  it("is not evaluated again for another value with the same text", () => {
    const { evaluations, issues } = counted("integer");
    expect([issues(1), issues(1), issues(2), issues(1)]).toEqual([0, 0, 0, 0]);
    expect(evaluations.count).toBe(2);
    expect([issues(-1), issues(-1)]).toEqual([1, 1]);
  });

  it("is evaluated again where equal texts hide a difference, as for minus zero", () => {
    const { issues } = counted("number");
    expect([issues(0), issues(-0)]).toEqual([0, 1]);
  });

  it("is evaluated without a cache once texts stop repeating", () => {
    const { evaluations, issues } = counted("integer");
    for (let count = 1; count <= 20; count += 1) issues(count);
    issues(20);
    expect(evaluations.count).toBe(21);
  });
});

describe("the message of a rule", () => {
  const limited = {
    type: "object",
    properties: { count: { type: "integer" } },
    "x-kubernetes-validations": [{ rule: "self.count < 5", messageExpression: "'it was ' + string(oldSelf.count)" }],
  } as const satisfies Schema;
  const compiledLimit = compileSchema(limited);

  it("may read the old value although the rule does not", () => {
    const subject = { value: { count: 7 }, old: { count: 3 } };
    const { issues } = evaluateRules(compiledLimit, compileRules(compiledLimit), subject);
    expect(issues.map(({ message }) => message)).toEqual(['Invalid value: "object": it was 3']);
  });
});
