import { type FieldIssue, issueText, type Parsed } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import {
  claimPolicyTypeIssues,
  grantPolicyTypeIssues,
  newTypeIssues,
  type TypeIssues,
} from "../../core/policy/trigger-type-check.ts";
import { parseClaimCreationPolicy } from "../../core/resources/claim-creation-policy.ts";
import type { PolicyTrigger } from "../../core/resources/fields/policy-trigger.ts";
import { parseGrantCreationPolicy } from "../../core/resources/grant-creation-policy.ts";
import type { TriggerSchema, TriggerSchemas } from "../../views/trigger-schemas.ts";

export interface PolicyTypeCheckDeps {
  readonly schemas: Pick<TriggerSchemas, "of">;
  readonly report: (where: string, error: unknown) => void;
}

interface PolicyChange {
  readonly plane: string;
  readonly kind: string;
  readonly object: JsonObject;
  readonly old: JsonObject | undefined;
}

interface CheckedPolicy {
  readonly trigger: PolicyTrigger;
  issuesFor(schema: TriggerSchema): TypeIssues;
}

/** Issues that reject the write of a policy, and warnings. */
export interface TypeCheckResult {
  readonly issues: readonly FieldIssue[];
  readonly warnings: readonly string[];
}

const noResult: TypeCheckResult = { issues: [], warnings: [] };

const readers: Readonly<Record<string, (object: JsonObject) => CheckedPolicy | undefined>> = {
  ClaimCreationPolicy: readerOf(parseClaimCreationPolicy, claimPolicyTypeIssues),
  GrantCreationPolicy: readerOf(parseGrantCreationPolicy, grantPolicyTypeIssues),
};

/** Whether objects of the kind have expressions about another kind. */
export function hasTypes(kind: string): boolean {
  return Object.hasOwn(readers, kind);
}

/**
 * Checks the expressions of a policy that is written against the schema of its trigger kind. Only a condition or an amount
 * that cannot work for a built-in kind rejects the write: the schema of a custom kind may be a moment late. Nothing is said
 * about what the policy had before.
 */
export async function checkPolicyTypes(
  { plane, kind, object, old }: PolicyChange,
  { schemas, report }: PolicyTypeCheckDeps,
  signal: AbortSignal,
): Promise<TypeCheckResult> {
  const policy = readers[kind]?.(object);
  if (policy === undefined) return noResult;
  let schema: TriggerSchema | undefined;
  try {
    schema = await schemas.of(plane, policy.trigger, signal);
  } catch (error) {
    signal.throwIfAborted();
    report(`${kind} in ${plane}, reading the schema of ${policy.trigger.kind}`, error);
  }
  if (schema === undefined) return noResult;
  const before = old === undefined ? undefined : readers[kind]?.(old);
  const isSameKind =
    before?.trigger.apiVersion === policy.trigger.apiVersion && before.trigger.kind === policy.trigger.kind;
  const all = policy.issuesFor(schema);
  const added = before === undefined || !isSameKind ? all : newTypeIssues(all, before.issuesFor(schema));
  const { deciding, rendering } = added;
  if (!schema.isCustom && deciding.length > 0) return { issues: deciding, warnings: [] };
  return { issues: [], warnings: [...deciding, ...rendering].map(issueText) };
}

function readerOf<Policy extends { readonly trigger: PolicyTrigger }>(
  parse: (value: unknown) => Parsed<Policy>,
  issuesOf: (policy: Policy, schema: TriggerSchema) => TypeIssues,
): (object: JsonObject) => CheckedPolicy | undefined {
  return (object) => {
    const parsed = parse(object);
    if (!parsed.ok) return undefined;
    const { value } = parsed;
    return { trigger: value.trigger, issuesFor: (schema) => issuesOf(value, schema) };
  };
}
