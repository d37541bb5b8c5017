import type { Type } from "@milo-quota/kubernetes/cel/cel-type.ts";
import { extendEnvironment } from "@milo-quota/kubernetes/cel/environment.ts";
import { jsonType, type ResolveReference } from "@milo-quota/kubernetes/cel/json-type.ts";
import { type FieldIssue, issueText } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ClaimCreationPolicy } from "../resources/claim-creation-policy.ts";
import type { GrantCreationPolicy } from "../resources/grant-creation-policy.ts";
import { claimCompileIssues } from "./claim-policy.ts";
import { grantCompileIssues } from "./grant-policy.ts";
import { claimPolicyVariables, grantPolicyVariables } from "./policy-variables.ts";

/** What expressions and templates of a policy do with fields that the trigger kind does not have, or that have another type. */
export interface TypeIssues {
  /** In conditions and amounts, which decide what is counted. */
  readonly deciding: readonly FieldIssue[];
  /** In templates, which fail when they are rendered. */
  readonly rendering: readonly FieldIssue[];
}

interface KindSchema {
  readonly schema: JsonObject;
  readonly resolve: ResolveReference;
}

/** To be called for policies that compile. */
export function claimPolicyTypeIssues(policy: ClaimCreationPolicy, { schema, resolve }: KindSchema): TypeIssues {
  const variables = typed(jsonType(schema, resolve));
  return byEffect(claimCompileIssues(extendEnvironment(claimPolicyVariables, variables), policy));
}

/** To be called for policies that compile. */
export function grantPolicyTypeIssues(policy: GrantCreationPolicy, { schema, resolve }: KindSchema): TypeIssues {
  const variables = typed(jsonType(schema, resolve));
  return byEffect(grantCompileIssues(extendEnvironment(grantPolicyVariables, variables), policy));
}

/** The issues of a changed policy that it did not have before: nothing is rejected because the schema has changed. */
export function newTypeIssues(now: TypeIssues, before: TypeIssues): TypeIssues {
  const known = new Set([...before.deciding, ...before.rendering].map(({ message }) => message));
  const isNew = ({ message }: FieldIssue): boolean => !known.has(message);
  return { deciding: now.deciding.filter(isNew), rendering: now.rendering.filter(isNew) };
}

export function typeIssuesText({ deciding, rendering }: TypeIssues): string {
  return [...deciding, ...rendering].map(issueText).join("; ");
}

function typed(trigger: Type): Readonly<Record<string, Type>> {
  return { trigger, object: trigger };
}

function byEffect(issues: readonly FieldIssue[]): TypeIssues {
  const decides = ({ field }: FieldIssue): boolean =>
    field.startsWith("spec.trigger.") || field.endsWith(".amountExpression");
  return { deciding: issues.filter(decides), rendering: issues.filter((issue) => !decides(issue)) };
}
