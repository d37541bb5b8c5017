import { stringType } from "@milo-quota/kubernetes/cel/cel-type.ts";
import { compile } from "@milo-quota/kubernetes/cel/compile.ts";
import type { Environment } from "@milo-quota/kubernetes/cel/environment.ts";
import { type FieldIssue, itemPath } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { LabelSelector } from "@milo-quota/kubernetes/protocol/selectors/label-selector.ts";
import { type Amount, amountToJson } from "../resources/fields/amount.ts";
import type { ConsumerRef } from "../resources/fields/consumer-ref.ts";
import { labelText } from "../resources/fields/label-text.ts";
import type { GrantCreationPolicy, ParentContext } from "../resources/grant-creation-policy.ts";
import { referenceManifest } from "../resources/reference-manifest.ts";
import { annotations, labels, quotaApiVersion } from "../resources/well-known.ts";
import { evaluatePolicy, type NotRendered } from "./evaluate-policy.ts";
import { expressionIssue } from "./expression-issue.ts";
import { pathSegment } from "./path-segment.ts";
import { grantBindings, grantPolicyVariables, type PolicyBindings } from "./policy-variables.ts";
import { excerpt } from "./quoted-excerpt.ts";
import { grantName, type Origin } from "./rendered-names.ts";
import { compileSelector } from "./selector-template.ts";
import {
  type RenderedMetadata,
  type Renderer,
  RenderFailure,
  TemplateFields,
  validNamespace,
} from "./template-fields.ts";
import { type Conditions, compileConditions } from "./trigger-condition.ts";
import { identityOf, type TriggerIdentity } from "./trigger-object.ts";

/** An object that a grant policy is evaluated for. */
export interface GrantInput {
  readonly trigger: JsonObject;
  /** Control plane of the object; empty for the root. */
  readonly plane: string;
  /** Control plane of the policy; the root when omitted. */
  readonly policyPlane?: string;
  bucketNamespace(consumer: ConsumerRef): string;
}

export interface RenderedBucket {
  readonly amount: Amount;
  readonly selector: LabelSelector;
}

/** A grant to create or update. */
export interface RenderedGrant {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly consumer: ConsumerRef;
  readonly allowances: readonly { readonly resourceType: string; readonly buckets: readonly RenderedBucket[] }[];
  /** The object whose control plane the grant is created in; undefined for the control plane of the trigger. */
  readonly parent: { readonly apiGroup: string; readonly kind: string; readonly name: string } | undefined;
}

export type GrantRendering = { readonly outcome: "grant"; readonly grant: RenderedGrant } | NotRendered;

export interface CompiledGrantPolicy {
  readonly name: string;
  evaluate(input: GrantInput): GrantRendering;
}

export type CompiledGrantPolicyResult =
  | { readonly ok: true; readonly policy: CompiledGrantPolicy }
  | { readonly ok: false; readonly issues: readonly FieldIssue[] };

interface Template {
  readonly metadata: Renderer<RenderedMetadata>;
  readonly consumer: Renderer<ConsumerRef>;
  readonly allowances: Renderer<RenderedGrant["allowances"]>;
  readonly parent: Renderer<RenderedGrant["parent"]>;
}

/** Compiles a policy, or returns all its issues. */
export function compileGrantPolicy(policy: GrantCreationPolicy): CompiledGrantPolicyResult {
  return compileWith(grantPolicyVariables, policy);
}

/** All issues of a policy whose expressions may use these variables. */
export function grantCompileIssues(variables: Environment, policy: GrantCreationPolicy): readonly FieldIssue[] {
  const compiled = compileWith(variables, policy);
  return compiled.ok ? [] : compiled.issues;
}

function compileWith(variables: Environment, policy: GrantCreationPolicy): CompiledGrantPolicyResult {
  const path = "spec.target.resourceGrantTemplate";
  const fields = new TemplateFields(variables);
  const { conditions, issues } = compileConditions(policy.trigger, variables);
  const template: Template = {
    metadata: fields.metadata(`${path}.metadata`, policy.template.metadata),
    consumer: fields.consumer(`${path}.spec.consumerRef`, policy.template.consumer),
    allowances: compileAllowances(fields, `${path}.spec.allowances`, policy),
    parent: compileParent(fields, variables, policy.parentContext),
  };
  const all = [...issues, ...fields.issues];
  if (all.length > 0) return { ok: false, issues: all };
  const name = policy.metadata.name ?? "";
  return { ok: true, policy: { name, evaluate: (input) => evaluate(name, conditions, template, input) } };
}

function compileAllowances(
  fields: TemplateFields,
  path: string,
  { template }: GrantCreationPolicy,
): Template["allowances"] {
  const renderers = template.allowances.map(({ resourceType, buckets }, index) => {
    const at = itemPath(path, index);
    fields.literalType(`${at}.resourceType`, resourceType);
    const bucketRenderers = buckets.map(({ amount, selector }, bucket) => {
      const bucketPath = itemPath(`${at}.buckets`, bucket);
      const renderAmount = fields.amount(bucketPath, amount);
      const renderSelector = compileSelector(fields, `${bucketPath}.dimensionSelector`, selector);
      return (bindings: PolicyBindings) => ({ amount: renderAmount(bindings), selector: renderSelector(bindings) });
    });
    return (bindings: PolicyBindings) => ({ resourceType, buckets: bucketRenderers.map((render) => render(bindings)) });
  });
  return (bindings) => renderers.map((render) => render(bindings));
}

function compileParent(
  fields: TemplateFields,
  variables: Environment,
  parent: ParentContext | undefined,
): Template["parent"] {
  if (parent === undefined) return () => undefined;
  const { apiGroup, kind, nameExpression } = parent;
  const path = "spec.target.parentContext.nameExpression";
  const compiled = compile(nameExpression, variables, { expect: stringType });
  if (!compiled.ok) {
    fields.issues.push(...compiled.issues.map((issue) => expressionIssue(path, nameExpression, issue)));
    return () => undefined;
  }
  return (bindings) => {
    const result = compiled.program.evaluate(bindings);
    if (!result.ok) throw new RenderFailure(`${path}: ${nameExpression}: ${result.error.message}`);
    const faults = pathSegment(result.value);
    if (faults.length > 0) throw new RenderFailure(`${path}: ${excerpt(result.value)}: ${faults.join("; ")}`);
    return { apiGroup, kind, name: result.value };
  };
}

function evaluate(policy: string, conditions: Conditions, template: Template, input: GrantInput): GrantRendering {
  const bindings = grantBindings(input.trigger);
  return evaluatePolicy(`GrantCreationPolicy ${JSON.stringify(policy)}`, conditions, bindings, () => ({
    outcome: "grant",
    grant: render(policy, template, input, bindings),
  }));
}

function render(policy: string, template: Template, input: GrantInput, bindings: PolicyBindings): RenderedGrant {
  const consumer = template.consumer(bindings);
  const metadata = template.metadata(bindings);
  const trigger = identityOf(input.trigger);
  return {
    name: metadata.name ?? grantName(metadata.generateName ?? policy, originOf(policy, trigger, input)),
    namespace: validNamespace(metadata.namespace ?? (trigger.namespace || input.bucketNamespace(consumer))),
    labels: { ...metadata.labels, [labels.autoCreated]: "true", [labels.policy]: labelText(policy) },
    annotations: { ...metadata.annotations, [annotations.policy]: policy, [annotations.resourceName]: trigger.name },
    consumer,
    allowances: template.allowances(bindings),
    parent: template.parent(bindings),
  };
}

/** Includes the plane of the policy, because policies of the same name in two planes create a grant each. */
function originOf(policy: string, trigger: TriggerIdentity, { plane, policyPlane = "" }: GrantInput): Origin {
  return { ...trigger, plane, policy: policyPlane === "" ? policy : `${policyPlane}/${policy}` };
}

export function grantManifest(grant: RenderedGrant): JsonObject {
  const { name, namespace, consumer, allowances } = grant;
  return {
    apiVersion: quotaApiVersion,
    kind: "ResourceGrant",
    metadata: { name, namespace, labels: grant.labels, annotations: grant.annotations },
    spec: {
      consumerRef: referenceManifest(consumer),
      allowances: allowances.map(({ resourceType, buckets }) => ({
        resourceType,
        buckets: buckets.map(({ amount, selector }) => ({
          amount: amountToJson(amount),
          ...(Object.keys(selector).length === 0 ? {} : { dimensionSelector: selector as JsonObject }),
        })),
      })),
    },
  };
}
