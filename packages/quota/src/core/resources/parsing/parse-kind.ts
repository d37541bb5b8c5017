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
import { knownParts } from "./known-parts.ts";
import { field } from "./reading.ts";
import { plainly } from "./renamed-fields.ts";

/** What the schema of a kind accepted, before the kind's own file gives it its meaning. */
export interface Accepted<S extends Schema> {
  readonly metadata: ObjectMeta;
  readonly content: Infer<S>;
}

/** Paths of fields that this version does not have. Objects with them are read all the same: a newer version has them. */
export interface UnknownFields {
  readonly unknownFields: readonly string[];
}

/** Reads an object of one kind; given the object it replaces, also checks what may not change. */
export type Accept<S extends Schema> = (value: unknown, old?: unknown) => Parsed<Accepted<S>> & UnknownFields;

/** Our own patterns are known to take linear time, so the engine's matcher may run them. */
function trustedPattern(pattern: string): (text: string) => boolean {
  const compiled = new RegExp(pattern, "u");
  return (text) => compiled.test(text);
}

const compiledMetadata = compileSchema(metadataSchema, trustedPattern);

export function acceptKind<S extends Schema>(definition: KindDefinition & { readonly schema: S }): Accept<S> {
  const compiled = compileSchema(definition.schema, trustedPattern);
  const isKnown = knownParts(compiled, (part, value) => ruleIssues(part, value, undefined).length > 0);
  return (value, old) => {
    if (!isJsonObject(value)) {
      const actual = typeOf(value as JsonValue);
      const issue = typeInvalid("", actual, `must be of type object: "${actual}"`);
      return { ok: false, issues: [issue], unknownFields: [] };
    }
    const isRight = old === undefined && isKnown(value);
    const content = isRight ? { value, issues: [], unknownFields: [] } : walkObject(compiled, value);
    const metadata = acceptedMetadata(value["metadata"] ?? {});
    const issues = [
      ...headIssues(definition, value),
      ...metadata.issues,
      ...content.issues.map(plainly),
      ...(isRight ? [] : ruleIssues(compiled, content.value, oldContent(compiled, old))),
    ];
    const { unknownFields } = content;
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

/** Nearly always nothing is wrong with it, as can be seen at a glance. */
function acceptedMetadata(metadata: JsonValue): { readonly value: ObjectMeta; readonly issues: readonly FieldIssue[] } {
  const value = { metadata };
  if (fitsAsIs(compiledMetadata, value)) return { value: metadata as ObjectMeta, issues: [] };
  const walked = walkValue(compiledMetadata, value);
  return { value: field(walked.value, "metadata") as ObjectMeta, issues: walked.issues };
}

function oldContent(compiled: CompiledSchema, old: unknown): JsonValue | undefined {
  return isJsonObject(old) ? walkObject(compiled, old).value : undefined;
}

function headIssues(definition: KindDefinition, value: JsonObject): readonly FieldIssue[] {
  const issues: FieldIssue[] = [];
  if (Object.hasOwn(value, "apiGroup")) {
    const detail = `apiGroup is not a field of objects: write apiVersion: ${quotaApiVersion} instead`;
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

/** A word as it is; anything else by its type, for it may be of any size. */
function shown(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : typeOf(value ?? null);
}

function ruleIssues(compiled: CompiledSchema, value: JsonValue, old: JsonValue | undefined): readonly FieldIssue[] {
  const issues: FieldIssue[] = [];
  for (const { compiled: at, rules, path, self, oldSelf } of ruleSites(compiled, value, old)) {
    if (at.schema.type !== typeOf(self)) continue; // refused by the walk
    for (const rule of rules) {
      if ((oldSelf === undefined && isTransition(rule)) || rule.holds?.(self, oldSelf) !== false) continue;
      issues.push(ruleIssue(rule, path, self));
    }
  }
  return issues;
}

const transitions = new WeakMap<ValidationRule, boolean>();

/** Whether a rule speaks of a change, and so has nothing to say of a new object. */
function isTransition(rule: ValidationRule): boolean {
  const known = transitions.get(rule);
  if (known !== undefined) return known;
  const isIt = /\boldSelf\b/.test(rule.rule);
  transitions.set(rule, isIt);
  return isIt;
}

/** Worded as an API server words a broken rule: objects and lists by their type, for they may be long. */
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
