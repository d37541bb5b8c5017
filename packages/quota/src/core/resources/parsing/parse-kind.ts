import {
  childPath,
  type FieldIssue,
  forbidden,
  invalid,
  type Parsed,
  required,
  typeInvalid,
} from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ObjectMeta } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { type CompiledSchema, compileSchema } from "@milo-quota/kubernetes/schema/compiled-schema.ts";
import { fitsAsIs } from "@milo-quota/kubernetes/schema/fits-as-is.ts";
import type { Infer } from "@milo-quota/kubernetes/schema/infer.ts";
import type { KindDefinition } from "@milo-quota/kubernetes/schema/kind-definition.ts";
import { ruleSites } from "@milo-quota/kubernetes/schema/rule-sites.ts";
import type { Schema, ValidationRule } from "@milo-quota/kubernetes/schema/structural-schema.ts";
import { typeOf } from "@milo-quota/kubernetes/schema/value-checks.ts";
import { walkObject, walkValue } from "@milo-quota/kubernetes/schema/walk.ts";
import { metadataSchema } from "../fields/metadata-schema.ts";
import { quotaApiVersion } from "../well-known.ts";
import { earlyNameIssue } from "./early-field-names.ts";
import { field } from "./json-fields.ts";
import { validObjectCache } from "./valid-object-cache.ts";

/** An object that fits the schema of its kind, before the kind's own file converts it. */
export interface Accepted<S extends Schema> {
  readonly metadata: ObjectMeta;
  readonly content: Infer<S>;
}

/** Paths of fields that the schema does not have. They do not make an object invalid: a newer version may have them. */
export interface UnknownFields {
  readonly unknownFields: readonly string[];
}

/** Validates an object of one kind; given the object it replaces, also checks that immutable fields are unchanged. */
export type Accept<S extends Schema> = (value: unknown, old?: unknown) => Parsed<Accepted<S>> & UnknownFields;

/** Our own patterns run in linear time, so the regular expressions of the engine are safe. */
function trustedPattern(pattern: string): (text: string) => boolean {
  const compiled = new RegExp(pattern, "u");
  return (text) => compiled.test(text);
}

const compiledMetadata = compileSchema(metadataSchema, trustedPattern);

export function acceptKind<S extends Schema>(definition: KindDefinition & { readonly schema: S }): Accept<S> {
  const compiled = compileSchema(definition.schema, trustedPattern);
  const isKnownValid = validObjectCache(compiled, (part, value) => ruleIssues(part, value, undefined).length > 0);
  return (value, old) => {
    if (!isJsonObject(value)) {
      const actual = typeOf(value as JsonValue);
      const issue = typeInvalid("", actual, `must be of type object: "${actual}"`);
      return { ok: false, issues: [issue], unknownFields: [] };
    }
    const isValid = old === undefined && isKnownValid(value);
    const content = isValid ? { value, issues: [], unknownFields: [] } : walkObject(compiled, value);
    const metadata = acceptedMetadata(value["metadata"] ?? {});
    const earlyNames = content.unknownFields.flatMap((path) => earlyNameIssue(definition.kind, path) ?? []);
    const issues = [
      ...typeMetaIssues(definition, value),
      ...metadata.issues,
      ...earlyNames,
      ...content.issues,
      ...(isValid ? [] : ruleIssues(compiled, content.value, oldContent(compiled, old))),
    ];
    const isEarlyName = (path: string): boolean => earlyNames.some((issue) => issue.field === path);
    const unknownFields = content.unknownFields.filter((path) => !isEarlyName(path));
    if (issues.length > 0) return { ok: false, issues, unknownFields };
    return {
      ok: true,
      unknownFields,
      value: {
        metadata: metadata.value,
        content: content.value as Infer<S>,
      },
    };
  };
}

/** Hot: the fast check accepts nearly all metadata. */
function acceptedMetadata(metadata: JsonValue): { readonly value: ObjectMeta; readonly issues: readonly FieldIssue[] } {
  const value = { metadata };
  if (fitsAsIs(compiledMetadata, value)) return { value: metadata as ObjectMeta, issues: [] };
  const walked = walkValue(compiledMetadata, value);
  return { value: field(walked.value, "metadata") as ObjectMeta, issues: walked.issues };
}

function oldContent(compiled: CompiledSchema, old: unknown): JsonValue | undefined {
  return isJsonObject(old) ? walkObject(compiled, old).value : undefined;
}

function typeMetaIssues(definition: KindDefinition, value: JsonObject): readonly FieldIssue[] {
  const issues: FieldIssue[] = [];
  if (Object.hasOwn(value, "apiGroup")) {
    const detail = `unknown field; use apiVersion: ${quotaApiVersion} instead`;
    issues.push(forbidden("apiGroup", detail));
  } else if (value["apiVersion"] === undefined) {
    issues.push(required("apiVersion"));
  }
  if (value["apiVersion"] !== undefined && value["apiVersion"] !== quotaApiVersion) {
    issues.push(invalid("apiVersion", shown(value["apiVersion"]), `must be ${quotaApiVersion}`));
  }
  if (value["kind"] !== definition.kind) {
    const issue =
      value["kind"] === undefined
        ? required("kind")
        : invalid("kind", shown(value["kind"]), `must be ${definition.kind}`);
    issues.push(issue);
  }
  return issues;
}

/** Strings as they are; any other value by its type, because it may be large. */
function shown(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : typeOf(value ?? null);
}

function ruleIssues(compiled: CompiledSchema, value: JsonValue, old: JsonValue | undefined): readonly FieldIssue[] {
  const issues: FieldIssue[] = [];
  for (const { compiled: at, rules, path, self, oldSelf } of ruleSites(compiled, value, old)) {
    if (at.schema.type !== typeOf(self)) continue; // the walk has reported it
    for (const rule of rules) {
      if ((oldSelf === undefined && isTransition(rule)) || rule.holds?.(self, oldSelf) !== false) continue;
      issues.push(ruleIssue(rule, path, self));
    }
  }
  return issues;
}

const transitionRules = new WeakMap<ValidationRule, boolean>();

/** Whether a rule refers to oldSelf, and so does not apply to new objects. */
function isTransition(rule: ValidationRule): boolean {
  const cached = transitionRules.get(rule);
  if (cached !== undefined) return cached;
  const result = /\boldSelf\b/.test(rule.rule);
  transitionRules.set(rule, result);
  return result;
}

/** Worded as by an API server, which shows objects and lists by their type. */
function ruleIssue(rule: ValidationRule, path: string, self: JsonValue): FieldIssue {
  const at = rule.fieldPath === undefined ? path : childPath(path, rule.fieldPath.slice(1));
  const message = rule.message ?? `failed rule: ${rule.rule}`;
  switch (rule.reason) {
    case "FieldValueForbidden":
      return forbidden(at, message);
    case "FieldValueRequired":
      return required(at, message);
    default:
      return invalid(at, typeof self === "object" ? typeOf(self) : self, message);
  }
}
