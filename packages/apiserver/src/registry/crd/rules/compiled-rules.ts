import { boolType, optionalType, stringType, type Type } from "@milo-quota/kubernetes/cel/cel-type.ts";
import { compile } from "@milo-quota/kubernetes/cel/compile.ts";
import { createEnvironment, type Environment, extendEnvironment } from "@milo-quota/kubernetes/cel/environment.ts";
import { type Issue, renderIssue } from "@milo-quota/kubernetes/cel/issue.ts";
import { kubernetesLibraries } from "@milo-quota/kubernetes/cel/libraries/catalogue.ts";
import type { Program } from "@milo-quota/kubernetes/cel/program.ts";
import type { CompiledSchema } from "@milo-quota/kubernetes/schema/compiled-schema.ts";
import type { Schema, ValidationRule } from "@milo-quota/kubernetes/schema/structural-schema.ts";
import { fieldPathOf } from "../definitions/field-path.ts";
import { ruleType } from "./rule-type.ts";
import { unsupportedFunction } from "./unsupported-functions.ts";

/** A compiled rule, or the error it failed to compile with. */
export interface CompiledRule {
  readonly rule: ValidationRule;
  /** Transition rule: it does not apply to new values. */
  readonly usesOldSelf: boolean;
  readonly program: Program<boolean> | undefined;
  readonly messageProgram: Program<string> | undefined;
  /** The field to report, relative to the rule's value. */
  readonly fieldPath: string;
  readonly fault: string | undefined;
  readonly messageFault: string | undefined;
}

/** Rules by the part of the schema they belong to. */
export type RuleTable = ReadonlyMap<CompiledSchema, readonly CompiledRule[]>;

const libraries = createEnvironment({ libraries: kubernetesLibraries });

export function compileRules(root: CompiledSchema, isRoot = true): RuleTable {
  const table = new Map<CompiledSchema, readonly CompiledRule[]>();
  addRules(root, isRoot, table);
  return table;
}

function addRules(
  compiled: CompiledSchema,
  isRoot: boolean,
  table: Map<CompiledSchema, readonly CompiledRule[]>,
): void {
  if (!compiled.hasRules) return;
  if (compiled.rules.length > 0) table.set(compiled, rulesOf(compiled.schema, isRoot));
  for (const child of childrenOf(compiled)) addRules(child, false, table);
}

function childrenOf({ properties, additional, items }: CompiledSchema): readonly CompiledSchema[] {
  const children = [...properties.values()];
  if (additional !== undefined && additional !== true) children.push(additional);
  if (items !== undefined) children.push(items);
  return children;
}

/** The rules of one schema node. An embedded resource is a root of its own. */
export function rulesOf(schema: Schema, isRoot: boolean): readonly CompiledRule[] {
  const rules = schema["x-kubernetes-validations"] ?? [];
  const type = ruleType(schema, isRoot || schema["x-kubernetes-embedded-resource"] === true);
  return rules.map((rule) => compileRule(rule, schema, type));
}

const untyped = "failed to convert to declType for CEL validation rules";

function compileRule(rule: ValidationRule, schema: Schema, type: Type | undefined): CompiledRule {
  const none = { rule, usesOldSelf: false, program: undefined, messageProgram: undefined, fieldPath: "" };
  if (typeof rule?.rule !== "string" || rule.rule.trim() === "")
    return { ...none, fault: undefined, messageFault: undefined };
  if (type === undefined) return { ...none, fault: untyped, messageFault: undefined };
  const environment = environmentFor(type, rule);
  const { program, fault } = compileTo(rule.rule, environment, "bool");
  if (program === undefined) return { ...none, fault, messageFault: undefined };
  const message =
    rule.messageExpression === undefined || rule.messageExpression === "" ? undefined : rule.messageExpression;
  const compiled = message === undefined ? undefined : compileTo(message, environment, "string");
  return {
    rule,
    usesOldSelf: usesOldSelf(rule.rule, type),
    program: program as Program<boolean>,
    messageProgram: compiled?.program as Program<string> | undefined,
    fieldPath: fieldPathOf(rule.fieldPath ?? "", schema),
    fault: undefined,
    messageFault: compiled?.fault,
  };
}

function environmentFor(type: Type, { optionalOldSelf = false }: ValidationRule): Environment {
  return extendEnvironment(libraries, { self: type, oldSelf: optionalOldSelf ? optionalType(type) : type });
}

/** Without a declaration of `oldSelf`, only rules that do not use it compile. */
function usesOldSelf(rule: string, type: Type): boolean {
  return /\boldSelf\b/.test(rule) && !compile(rule, extendEnvironment(libraries, { self: type })).ok;
}

const wanted = {
  bool: { type: boolType, prefix: "", fault: "cel expression must evaluate to a bool" },
  string: { type: stringType, prefix: "messageExpression ", fault: "messageExpression must evaluate to a string" },
} as const;

interface Attempt {
  readonly program: Program | undefined;
  readonly fault: string | undefined;
}

function compileTo(expression: string, environment: Environment, result: keyof typeof wanted): Attempt {
  const { type, prefix, fault } = wanted[result];
  const compiled = compile(expression, environment);
  if (!compiled.ok)
    return { program: undefined, fault: `${prefix}compilation failed: ${reason(expression, compiled.issues)}` };
  if (compiled.program.resultType.kind !== type.kind) return { program: undefined, fault };
  return { program: compiled.program, fault: undefined };
}

/** Names functions that Kubernetes has and this server lacks: the expression itself is valid. */
function reason(expression: string, issues: readonly Issue[]): string {
  const unsupported = issues.map(({ message }) => unsupportedFunction(message)).find((text) => text !== undefined);
  const texts = issues.map((issue) => renderIssue(expression, issue));
  return [...(unsupported === undefined ? [] : [unsupported]), ...texts].join("\n");
}
