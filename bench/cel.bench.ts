import { celEnv, parse, plan } from "@bufbuild/cel";
import { boolType, dynType, intType, type Type } from "@milo-quota/kubernetes/cel/cel-type.ts";
import { compile } from "@milo-quota/kubernetes/cel/compile.ts";
import { createEnvironment } from "@milo-quota/kubernetes/cel/environment.ts";
import type { Program } from "@milo-quota/kubernetes/cel/program.ts";
import type { Value } from "@milo-quota/kubernetes/cel/values/value.ts";
import { interleaved, median, type Work } from "./interleaved.ts";
import type { Figure, Suite } from "./run.ts";

const environment = createEnvironment({ variables: { trigger: dynType } });

const condition = 'trigger.spec.tier == "premium" && trigger.metadata.labels["env"] in ["prod","staging"]';
const missing = 'trigger.metadata.annotations["team"] == "storage"';
const amount = "trigger.spec.replicas * trigger.spec.cpu + 1";
const quantity = "quantity(trigger.spec.storage).asInteger()";
const comprehension = 'trigger.spec.containers.all(c, c.image.startsWith("images/") && c.ports.size() < 4)';

/** As it arrives: parsed from JSON. */
const trigger: unknown = JSON.parse(`{
  "apiVersion": "example.com/v1", "kind": "Instance",
  "metadata": { "name": "one", "namespace": "default", "labels": { "env": "prod", "app": "web" } },
  "spec": {
    "tier": "premium", "replicas": 3, "cpu": 250, "storage": "10Gi",
    "containers": [
      { "name": "a", "image": "images/a:1", "ports": [80, 443] },
      { "name": "b", "image": "images/b:1", "ports": [80] },
      { "name": "c", "image": "images/c:1", "ports": [] }
    ]
  }
}`);

function compiled<V extends Value>(expression: string, expect: Type<V>): Program<V> {
  const result = compile(expression, environment, { expect });
  if (!result.ok) throw new Error(result.issues.map((issue) => issue.message).join("; "));
  return result.program;
}

/** Parsed and planned once, with the same plain objects: the fastest way that library offers. */
function theirs(expression: string): Work {
  const evaluate = plan(celEnv(), parse(expression));
  return (times) => {
    for (let count = 0; count < times; count += 1) evaluate({ trigger: trigger as never });
  };
}

function ours(expression: string, expect: Type<boolean> | Type<bigint>): Work {
  const program = compiled(expression, expect as Type<Value>);
  return (times) => {
    for (let count = 0; count < times; count += 1) program.evaluate({ trigger });
  };
}

function compiling(times: number): void {
  for (let count = 0; count < times; count += 1) compile(condition, environment, { expect: boolType });
}

/** Rate per second, the median of five runs after a warm-up. */
function rate(work: Work, times: number): number {
  work(times);
  return median(
    Array.from({ length: 5 }, () => {
      const start = process.hrtime.bigint();
      work(times);
      return times / (Number(process.hrtime.bigint() - start) / 1e9);
    }),
  );
}

export const suite: Suite = (): Figure[] => {
  const { first, second, ratio } = interleaved(ours(condition, boolType), theirs(condition));
  const compileRate = rate(compiling, 5_000);
  return [
    { name: `evaluate ${condition.slice(0, 52)}…`, value: ratio, unit: "x @bufbuild/cel", budget: "celEvaluate" },
    { name: "  ours", value: first, unit: "/s" },
    { name: "  @bufbuild/cel", value: second, unit: "/s" },
    { name: "  compile", value: 1e6 / compileRate, unit: "µs" },
    { name: `evaluate ${missing}`, value: rate(ours(missing, boolType), 200_000), unit: "/s" },
    { name: `evaluate ${amount}`, value: rate(ours(amount, intType), 200_000), unit: "/s" },
    { name: `evaluate ${quantity}`, value: rate(ours(quantity, intType), 200_000), unit: "/s" },
    {
      name: `evaluate ${comprehension.slice(0, 60)}…`,
      value: rate(ours(comprehension, boolType), 100_000),
      unit: "/s",
    },
  ];
};
