import { type FieldIssue, invalid, notSupported, required } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { type JsonObject, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { Schema } from "@milo-quota/kubernetes/schema/structural-schema.ts";
import { followPath } from "../definitions/field-path.ts";
import { subschemas, textOf } from "../schemas/raw-schema.ts";
import type { SchemaContext } from "../schemas/schema-context.ts";
import { structuralConversionError } from "../schemas/structural-conversion.ts";
import { type CompiledRule, rulesOf } from "./compiled-rules.ts";
import { ruleType } from "./rule-type.ts";

const field = "x-kubernetes-validations";
const reasons = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

/** Validates the form of rules; whether they compile is checked separately. */
export function ruleIssues(schema: JsonObject, path: string): readonly FieldIssue[] {
  return subschemas(schema, field).flatMap((rule, index) => [
    ...textIssues(rule, `${path}.${field}[${index}]`),
    ...reasonIssues(rule, `${path}.${field}[${index}]`),
    ...pathIssues(rule, schema, `${path}.${field}[${index}].fieldPath`),
  ]);
}

function textIssues(rule: JsonObject, at: string): readonly FieldIssue[] {
  const message = textOf(rule, "message");
  const expression = textOf(rule, "messageExpression");
  const isBlank = expression !== "" && expression.trim() === "";
  return [
    ...messageIssues(textOf(rule, "rule").trim(), message, at),
    ...(isBlank ? [required(`${at}.messageExpression`, "messageExpression must be non-empty if specified")] : []),
  ];
}

function messageIssues(rule: string, message: string, at: string): readonly FieldIssue[] {
  const trimmed = message.trim();
  if (rule === "") return [required(`${at}.rule`, "rule is not specified")];
  if (message !== "" && trimmed === "") return [invalid(`${at}.message`, message, "must be non-empty if specified")];
  if (hasLineBreak(trimmed)) return [invalid(`${at}.message`, message, "must not contain line breaks")];
  if (!hasLineBreak(rule) || trimmed !== "") return [];
  return [required(`${at}.message`, "message must be specified if rule contains line breaks")];
}

function reasonIssues(rule: JsonObject, at: string): readonly FieldIssue[] {
  const reason = ownValue(rule, "reason") ?? undefined;
  if (reason === undefined || reasons.includes(reason as string)) return [];
  return [notSupported(`${at}.reason`, reason, reasons)];
}

function pathIssues(rule: JsonObject, schema: JsonObject, at: string): readonly FieldIssue[] {
  const path = textOf(rule, "fieldPath");
  if (path === "") return [];
  return [
    ...(path.trim() === "" ? [invalid(at, path, "must be non-empty if specified")] : []),
    ...(hasLineBreak(path) ? [invalid(at, path, "must not contain line breaks")] : []),
    ...(structuralConversionError(schema) !== undefined || followPath(path, schema as Schema).ok
      ? []
      : [invalid(at, path, "must be a valid path")]),
  ];
}

function hasLineBreak(text: string): boolean {
  return /[\n\r]/.test(text);
}

/** Compiles the rules of a schema and checks what they access. */
export function expressionIssues(schema: JsonObject, path: string, context: SchemaContext): readonly FieldIssue[] {
  const isObject = context.isRoot || ownValue(schema, "x-kubernetes-embedded-resource") === true;
  if (subschemas(schema, field).length === 0) return [];
  if (ruleType(schema as Schema, isObject) === undefined) return [untyped(`${path}.${field}`)];
  return rulesOf(schema as Schema, isObject).flatMap((compiled, index) =>
    compiledIssues(compiled, `${path}.${field}[${index}]`, context.uncorrelatable),
  );
}

function untyped(at: string): FieldIssue {
  const because = "failed to construct type information for x-kubernetes-validations rules";
  const message = `Internal error: internal error: ${because}: unable to convert structural schema to CEL declarations`;
  return { type: "FieldValueInvalid", field: at, message };
}

function compiledIssues(
  { rule, fault, messageFault, usesOldSelf }: CompiledRule,
  at: string,
  uncorrelatable: string | undefined,
): readonly FieldIssue[] {
  const blind = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`;
  const needless = "may not be set if oldSelf is not used in rule";
  return [
    ...(fault === undefined ? [] : [invalid(`${at}.rule`, rule.rule, fault)]),
    ...(messageFault === undefined
      ? []
      : [invalid(`${at}.messageExpression`, rule.messageExpression ?? "", messageFault)]),
    ...(usesOldSelf && uncorrelatable !== undefined ? [invalid(`${at}.rule`, rule.rule, blind)] : []),
    ...(!usesOldSelf && typeof rule.optionalOldSelf === "boolean"
      ? [invalid(`${at}.optionalOldSelf`, rule.optionalOldSelf, needless)]
      : []),
  ];
}
