import { formatType, type Type } from "@milo-quota/kubernetes/cel/cel-type.ts";
import { compile } from "@milo-quota/kubernetes/cel/compile.ts";
import type { Environment } from "@milo-quota/kubernetes/cel/environment.ts";
import type { Program } from "@milo-quota/kubernetes/cel/program.ts";
import { toText } from "@milo-quota/kubernetes/cel/values/conversions.ts";
import { typeNameOf } from "@milo-quota/kubernetes/cel/values/type-name.ts";
import { isGoForm } from "./go-templates/go-form.ts";
import { article, PipelineFailure, textOf } from "./go-templates/go-functions.ts";
import { compilePipeline, type Pipeline } from "./go-templates/go-pipeline.ts";
import type { PolicyBindings } from "./policy-variables.ts";
import { type Segment, scanTemplate, type TemplateIssue } from "./template-scan.ts";

/** The rendered text, or why it cannot be rendered. Missing keys are distinguished from other failures. */
export type Rendered =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly kind: "missing-key" | "failed"; readonly message: string };

export interface Template {
  /** Whether it has no actions. */
  readonly isLiteral: boolean;
  render(bindings: PolicyBindings): Rendered;
}

export type CompiledTemplate =
  | { readonly ok: true; readonly template: Template }
  | { readonly ok: false; readonly issues: readonly TemplateIssue[] };

type Part = string | ((bindings: PolicyBindings) => Rendered);

type CompiledPart =
  | { readonly ok: true; readonly part: Part }
  | { readonly ok: false; readonly issues: readonly TemplateIssue[] };

export function compileTemplate(text: string, environment: Environment): CompiledTemplate {
  const scanned = scanTemplate(text);
  if (!scanned.ok) return { ok: false, issues: [scanned.issue] };
  const compiled = scanned.segments.map((segment) => compileSegment(segment, environment));
  const issues = compiled.flatMap((each) => (each.ok ? [] : each.issues));
  if (issues.length > 0) return { ok: false, issues };
  const parts = compiled.flatMap((each) => (each.ok ? [each.part] : []));
  return {
    ok: true,
    template: {
      isLiteral: parts.every((part) => typeof part === "string"),
      render: (bindings) => joined(parts, bindings),
    },
  };
}

function joined(parts: readonly Part[], bindings: PolicyBindings): Rendered {
  let text = "";
  for (const part of parts) {
    const rendered = typeof part === "string" ? ({ ok: true, text: part } as const) : part(bindings);
    if (!rendered.ok) return rendered;
    text += rendered.text;
  }
  return { ok: true, text };
}

function compileSegment(segment: Segment, environment: Environment): CompiledPart {
  if (segment.kind === "text") return { ok: true, part: segment.text };
  const { source, offset } = segment;
  if (source === "") return { ok: false, issues: [{ message: "empty action", offset }] };
  const compiled = isGoForm(source) ? compileGo(source, environment) : compileCel(source, environment);
  if (compiled.ok) return compiled;
  return { ok: false, issues: compiled.issues.map((issue) => ({ ...issue, offset: issue.offset + offset })) };
}

function compileGo(source: string, environment: Environment): CompiledPart {
  const compiled = compilePipeline(source, new Set(environment.variables.keys()));
  return compiled.ok ? { ok: true, part: (bindings) => renderPipeline(source, compiled.run, bindings) } : compiled;
}

function renderPipeline(source: string, run: Pipeline, bindings: PolicyBindings): Rendered {
  const value = run(bindings);
  if (value instanceof PipelineFailure)
    return { ok: false, kind: "failed", message: `{{ ${source} }}: ${value.message}` };
  if (value === undefined) return { ok: false, kind: "missing-key", message: `{{ ${source} }}: no such value` };
  const text = textOf(value);
  if (text !== undefined) return { ok: true, text };
  return { ok: false, kind: "failed", message: `{{ ${source} }}: ${article(value)} cannot be converted to a string` };
}

function compileCel(source: string, environment: Environment): CompiledPart {
  const compiled = compile(source, environment);
  if (!compiled.ok) return compiled;
  const { program } = compiled;
  if (!canBeText(program.resultType)) {
    const message = `expected a value that can be converted to a string, but found '${formatType(program.resultType)}'`;
    return { ok: false, issues: [{ message, offset: 0 }] };
  }
  return { ok: true, part: (bindings) => renderProgram(program, bindings) };
}

function canBeText({ kind }: Type): boolean {
  return ["dyn", "wrapper", "bool", "int", "uint", "double", "string", "timestamp", "duration"].includes(kind);
}

function renderProgram(program: Program, bindings: PolicyBindings): Rendered {
  const result = program.evaluate(bindings);
  const action = `{{ ${program.source} }}`;
  if (!result.ok) {
    const { kind, message } = result.error;
    return { ok: false, kind: kind === "missing-key" ? "missing-key" : "failed", message: `${action}: ${message}` };
  }
  const text = result.value instanceof Uint8Array ? undefined : toText(result.value);
  if (typeof text === "string") return { ok: true, text };
  return {
    ok: false,
    kind: "failed",
    message: `${action}: a ${typeNameOf(result.value)} cannot be converted to a string`,
  };
}
