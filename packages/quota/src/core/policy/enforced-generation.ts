import { type FieldIssue, issueText } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { type JsonObject, type JsonValue, jsonEquals } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { type ClaimCreationPolicy, parseClaimCreationPolicy } from "../resources/claim-creation-policy.ts";
import { quotaApiVersion } from "../resources/well-known.ts";
import { type ClaimRendering, type CompiledClaimPolicy, compileClaimPolicy } from "./claim-policy.ts";

export type EnforcedGeneration = NonNullable<ClaimCreationPolicy["status"]["enforced"]>;

/** A policy, and its compiled form. */
export interface CompiledGeneration {
  readonly policy: ClaimCreationPolicy;
  readonly compiled: CompiledClaimPolicy;
}

/**
 * The generation of a policy that was enforced last. It goes on deciding while the policy is not ready, so that no mistake in
 * the policy or in another object switches it off. If that generation has issues as well, what it matches is rejected.
 */
export function lastEnforced(
  policy: ClaimCreationPolicy,
  issuesOf: (policy: ClaimCreationPolicy) => readonly FieldIssue[],
): CompiledGeneration | undefined {
  const { enforced } = policy.status;
  if (enforced === undefined) return undefined;
  const earlier = generationOf(policy, enforced);
  if (earlier === undefined) return { policy, compiled: brokenForAll(policy, "its enforced generation is unreadable") };
  const compiled = compileClaimPolicy(earlier);
  if (!compiled.ok) return { policy: earlier, compiled: brokenForAll(earlier, textOf(compiled.issues)) };
  const issues = issuesOf(earlier);
  return { policy: earlier, compiled: issues.length === 0 ? compiled.policy : broken(compiled.policy, textOf(issues)) };
}

function generationOf(
  { metadata, status }: ClaimCreationPolicy,
  { generation, spec }: EnforcedGeneration,
): ClaimCreationPolicy | undefined {
  const parsed = parseClaimCreationPolicy({
    apiVersion: quotaApiVersion,
    kind: "ClaimCreationPolicy",
    metadata: { ...metadata, generation },
    spec,
    status,
  });
  return parsed.ok ? parsed.value : undefined;
}

/** Fails for each object that the policy matches. */
function broken(compiled: CompiledClaimPolicy, issues: string): CompiledClaimPolicy {
  const evaluate = (input: Parameters<CompiledClaimPolicy["evaluate"]>[0]): ClaimRendering => {
    const rendering = compiled.evaluate(input);
    return rendering.outcome === "claim" ? failed(compiled.name, issues) : rendering;
  };
  return { name: compiled.name, evaluate };
}

function brokenForAll({ metadata }: ClaimCreationPolicy, issues: string): CompiledClaimPolicy {
  const name = metadata.name ?? "";
  return { name, evaluate: () => failed(name, issues) };
}

function failed(name: string, issues: string): ClaimRendering {
  return { outcome: "failed", message: `ClaimCreationPolicy ${JSON.stringify(name)} is not ready: ${issues}` };
}

function textOf(issues: readonly FieldIssue[]): string {
  return issues.map(issueText).join("; ");
}

/**
 * The current generation as the enforced one. `since` stays as it is while the trigger does, because the policy goes on matching
 * the same objects. Objects that only a changed trigger matches, and that are older than the change, are existing ones.
 */
export function enforcedGeneration(
  policy: ClaimCreationPolicy,
  { readySince, now }: { readonly readySince: string; readonly now: string },
): EnforcedGeneration {
  const { spec, status, metadata } = policy;
  const { generation = 0 } = metadata;
  const { enforced: before } = status;
  if (before === undefined) return { generation, since: readySince, spec };
  const isSameTrigger = jsonEquals(triggerOf(before.spec), triggerOf(spec));
  return { generation, since: isSameTrigger ? before.since : now, spec };
}

function triggerOf(spec: JsonObject): JsonValue {
  return spec["trigger"] ?? null;
}
