import { isJsonObject, type JsonValue, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { PolicyBindings } from "../policy-variables.ts";
import type { TemplateIssue } from "../template-scan.ts";
import { goFunctions, isEmpty, PipelineFailure, type PipelineValue } from "./go-functions.ts";
import { type PipelineNode, parsePipeline } from "./go-syntax.ts";

export type Pipeline = (bindings: PolicyBindings) => PipelineValue | PipelineFailure;

export type CompiledPipeline =
  | { readonly ok: true; readonly run: Pipeline }
  | { readonly ok: false; readonly issues: readonly TemplateIssue[] };

/** Compiles a Go template pipeline: `.trigger.metadata.name | lower`, `default "milo-system" .trigger.metadata.namespace`. */
export function compilePipeline(source: string, variables: ReadonlySet<string>): CompiledPipeline {
  const parsed = parsePipeline(source);
  if (!parsed.ok) return { ok: false, issues: [parsed.issue] };
  const issues = [...nodeIssues(parsed.node, variables)];
  return issues.length > 0 ? { ok: false, issues } : { ok: true, run: (bindings) => evaluate(parsed.node, bindings) };
}

function* nodeIssues(node: PipelineNode, variables: ReadonlySet<string>): Generator<TemplateIssue> {
  switch (node.kind) {
    case "literal":
      return;
    case "path":
      if (!variables.has(node.steps[0] as string)) {
        const known = [...variables].map((name) => `.${name}`).join(", ");
        yield { message: `undeclared variable .${node.steps[0]}: available are ${known}`, offset: node.offset };
      }
      return;
    case "call":
      yield* callIssues(node);
      for (const argument of node.arguments) yield* nodeIssues(argument, variables);
      return;
    default:
      throw new Error(`unknown node ${node satisfies never}`);
  }
}

function* callIssues(node: Extract<PipelineNode, { kind: "call" }>): Generator<TemplateIssue> {
  const parameters = node.name === "default" ? ["fallback", "value"] : goFunctions[node.name]?.parameters;
  if (parameters === undefined || parameters.length === node.arguments.length) return;
  const usage = `${node.name} ${parameters.join(" ")}`;
  yield {
    message: `${node.name} takes ${parameters.length} arguments, not ${node.arguments.length}: ${usage}`,
    offset: node.offset,
  };
}

function evaluate(node: PipelineNode, bindings: PolicyBindings): PipelineValue | PipelineFailure {
  switch (node.kind) {
    case "literal":
      return node.value;
    case "path":
      return follow(node.steps, bindings);
    case "call":
      return call(
        node.name,
        node.arguments.map((argument) => evaluate(argument, bindings)),
      );
    default:
      throw new Error(`unknown node ${node satisfies never}`);
  }
}

/** A missing value passes through every function, so that a `default` at the end can replace it. */
function call(name: string, args: readonly (PipelineValue | PipelineFailure)[]): PipelineValue | PipelineFailure {
  const failure = args.find((argument) => argument instanceof PipelineFailure);
  if (failure !== undefined) return failure;
  const values = args as readonly PipelineValue[];
  if (name === "default") return isEmpty(values[1]) ? values[0] : values[1];
  if (values.includes(undefined)) return undefined;
  const result = goFunctions[name]?.call(...(values as readonly JsonValue[]));
  return result instanceof PipelineFailure ? new PipelineFailure(prefixed(name, result.message)) : result;
}

function prefixed(name: string, message: string): string {
  return message.startsWith(name) ? message : `${name} ${message}`;
}

function follow(steps: readonly string[], bindings: PolicyBindings): PipelineValue {
  let value: JsonValue | undefined = bindings as Readonly<Record<string, JsonValue>>;
  for (const step of steps) {
    if (!isJsonObject(value)) return undefined;
    value = ownValue(value, step);
  }
  return value;
}
