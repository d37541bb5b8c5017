import type { Environment } from "@milo-quota/kubernetes/cel/environment.ts";
import { extendObject } from "@milo-quota/kubernetes/protocol/extend-object.ts";
import { duplicate, type FieldIssue, forbidden, itemPath } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { quote } from "@milo-quota/kubernetes/protocol/go-quote.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { type ObjectMeta, parseApiVersion } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { ClaimCreationPolicy } from "../resources/claim-creation-policy.ts";
import type { ConsumerRef } from "../resources/fields/consumer-ref.ts";
import { dimensionKey } from "../resources/fields/dimensions.ts";
import { labelText } from "../resources/fields/label-text.ts";
import { referenceManifest } from "../resources/reference-manifest.ts";
import type { ClaimRequest, ResourceRef } from "../resources/resource-claim.ts";
import { annotations, claimCreator, labels, quotaApiVersion, quotaGroup } from "../resources/well-known.ts";
import { evaluatePolicy, type NotRendered } from "./evaluate-policy.ts";
import { consumerManifest, requestsManifest } from "./manifest-cache.ts";
import {
  claimBindings,
  claimPolicyVariables,
  grantPolicyVariables,
  type PolicyBindings,
  type RequestInfo,
  type RequestUser,
} from "./policy-variables.ts";
import { claimName, type Origin } from "./rendered-names.ts";
import {
  type RenderedMetadata,
  type Renderer,
  RenderFailure,
  TemplateFields,
  validNamespace,
} from "./template-fields.ts";
import { compileConditions } from "./trigger-condition.ts";
import { gvkText, identityOf, type TriggerIdentity } from "./trigger-object.ts";

/** An object that is being written, and everything that a policy can use of its request. */
export interface ClaimInput {
  readonly trigger: JsonObject;
  readonly user: RequestUser;
  readonly requestInfo: RequestInfo;
  /** Control plane of the object; empty for the root. */
  readonly plane: string;
  /** Control plane of the policy; the root when omitted. */
  readonly policyPlane?: string;
  /** The project or organization that the object belongs to. It is the consumer when the policy names none. */
  tenantOf(trigger: JsonObject): ConsumerRef | undefined;
  bucketNamespace(consumer: ConsumerRef): string;
  /** Whether the consumer's quota is in another control plane than the object. Omitted: never. */
  isElsewhere?(consumer: ConsumerRef): boolean;
  readonly now: string;
}

/** A claim to create. */
export interface RenderedClaim {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly consumer: ConsumerRef;
  readonly requests: readonly ClaimRequest[];
  readonly resource: ResourceRef;
}

export type ClaimRendering =
  | { readonly outcome: "claim"; readonly claim: RenderedClaim }
  /** The policy applies to the object, but all amounts are 0. */
  | { readonly outcome: "nothing" }
  | NotRendered;

/** A compiled policy, to be evaluated for each request. */
export interface CompiledClaimPolicy {
  readonly name: string;
  evaluate(input: ClaimInput): ClaimRendering;
}

export type CompiledClaimPolicyResult =
  | { readonly ok: true; readonly policy: CompiledClaimPolicy }
  | { readonly ok: false; readonly issues: readonly FieldIssue[] };

type Labels = RenderedClaim["labels"];

interface Template {
  readonly labels: (trigger: TriggerIdentity) => Labels;
  readonly metadata: Renderer<RenderedMetadata>;
  readonly consumer: Renderer<ConsumerRef> | undefined;
  readonly requests: Renderer<readonly ClaimRequest[]>;
}

/** Compiles a policy, or returns all its issues. */
export function compileClaimPolicy(policy: ClaimCreationPolicy): CompiledClaimPolicyResult {
  return compileWith(claimPolicyVariables, policy);
}

/** Whether a policy uses user or requestInfo, so that it cannot be evaluated for stored objects. */
export function readsRequest(policy: ClaimCreationPolicy): boolean {
  return claimCompileIssues(grantPolicyVariables, policy).length > 0;
}

/** All issues of a policy whose expressions may use these variables. */
export function claimCompileIssues(variables: Environment, policy: ClaimCreationPolicy): readonly FieldIssue[] {
  const compiled = compileWith(variables, policy);
  return compiled.ok ? [] : compiled.issues;
}

function compileWith(variables: Environment, policy: ClaimCreationPolicy): CompiledClaimPolicyResult {
  const path = "spec.target.resourceClaimTemplate";
  const fields = new TemplateFields(variables);
  const { conditions, issues } = compileConditions(policy.trigger, variables);
  const { consumer } = policy.template;
  const name = policy.metadata.name ?? "";
  const template: Template = {
    labels: labelsOf(name, policy.template.metadata.labels),
    metadata: fields.metadata(`${path}.metadata`, policy.template.metadata),
    consumer: consumer && fields.consumer(`${path}.spec.consumerRef`, consumer),
    requests: compileRequests(fields, `${path}.spec.requests`, policy),
  };
  const all = [...quotaKindIssues(policy), ...issues, ...fields.issues];
  if (all.length > 0) return { ok: false, issues: all };
  const policyText = `ClaimCreationPolicy ${JSON.stringify(name)}`;
  const evaluate = (input: ClaimInput): ClaimRendering => {
    const bindings = claimBindings(input.trigger, input.user, input.requestInfo);
    return evaluatePolicy(policyText, conditions, bindings, () => render(name, template, input, bindings));
  };
  return { ok: true, policy: { name, evaluate } };
}

/** Claims for claims would never end. */
function quotaKindIssues({ trigger }: ClaimCreationPolicy): readonly FieldIssue[] {
  if (parseApiVersion(trigger.apiVersion).group !== quotaGroup) return [];
  return [forbidden("spec.trigger.resource.apiVersion", `claims cannot be created for objects of ${quotaGroup}`)];
}

function compileRequests(
  fields: TemplateFields,
  path: string,
  { template }: ClaimCreationPolicy,
): Renderer<readonly ClaimRequest[]> {
  const seen = new Set<string>();
  const renderers = template.requests.map(({ resourceType, amount, dimensions }, index) => {
    const at = itemPath(path, index);
    const key = `${resourceType} ${dimensionKey(dimensions)}`;
    if (seen.has(key)) fields.issues.push(duplicate(at, { resourceType, dimensions }));
    seen.add(key);
    fields.literalType(`${at}.resourceType`, resourceType);
    const renderAmount = fields.amount(at, amount);
    const renderDimensions = fields.dimensionValues(`${at}.dimensions`, dimensions);
    return (bindings: PolicyBindings): ClaimRequest => {
      const rendered = renderDimensions(bindings);
      return {
        resourceType,
        amount: renderAmount(bindings),
        dimensions: rendered,
        dimensionKey: dimensionKey(rendered),
      };
    };
  });
  return (bindings) => distinct(renderers.map((render) => render(bindings)).filter((request) => request.amount > 0n));
}

function distinct(requests: readonly ClaimRequest[]): readonly ClaimRequest[] {
  const seen = new Set<string>();
  for (const { resourceType, dimensionKey: key } of requests) {
    if (seen.has(`${resourceType} ${key}`))
      throw new RenderFailure(`two requests for ${resourceType} have the dimensions ${key}`);
    seen.add(`${resourceType} ${key}`);
  }
  return requests;
}

function render(policy: string, template: Template, input: ClaimInput, bindings: PolicyBindings): ClaimRendering {
  const requests = template.requests(bindings);
  if (requests.length === 0) return { outcome: "nothing" };
  const consumer = template.consumer?.(bindings) ?? input.tenantOf(input.trigger);
  if (consumer === undefined) throw noConsumer(input.trigger);
  return { outcome: "claim", claim: assemble(policy, template, { consumer, requests }, { input, bindings }) };
}

function noConsumer(trigger: JsonObject): RenderFailure {
  const { kind, namespace, name } = identityOf(trigger);
  const object = quote(namespace === "" ? name : `${namespace}/${name}`);
  return new RenderFailure(`names no consumerRef, and ${kind} ${object} belongs to no project or organization`);
}

function assemble(
  policy: string,
  template: Template,
  { consumer, requests }: Pick<RenderedClaim, "consumer" | "requests">,
  { input, bindings }: { readonly input: ClaimInput; readonly bindings: PolicyBindings },
): RenderedClaim {
  const metadata = template.metadata(bindings);
  const trigger = identityOf(input.trigger);
  // The object's namespace does not exist in another control plane.
  const ownNamespace = input.isElsewhere?.(consumer) === true ? "" : trigger.namespace;
  const makeName = (): string =>
    metadata.name ?? claimName(metadata.generateName ?? policy, originOf(policy, trigger, input), consumer, requests);
  return new LazilyNamedClaim(makeName, {
    namespace: validNamespace(metadata.namespace ?? (ownNamespace || input.bucketNamespace(consumer))),
    labels: template.labels(trigger),
    annotations: annotated(metadata.annotations, policy, trigger, input),
    consumer,
    requests,
    resource: { apiGroup: trigger.group, kind: trigger.kind, namespace: trigger.namespace, name: trigger.name },
  });
}

function originOf(
  policyName: string,
  { group, kind, namespace, name }: TriggerIdentity,
  { plane, policyPlane = "" }: ClaimInput,
): Origin {
  const policy = policyPlane === "" ? policyName : `${policyPlane}/${policyName}`;
  return { plane, policy, group, kind, namespace, name };
}

/**
 * Hot: runs for each object that a policy applies to. The name is a hash, which takes most of the time, and is not needed to
 * compare the claim of a stored object.
 */
class LazilyNamedClaim implements RenderedClaim {
  readonly namespace: string;
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly consumer: ConsumerRef;
  readonly requests: readonly ClaimRequest[];
  readonly resource: ResourceRef;
  readonly #makeName: () => string;
  #name: string | undefined;

  constructor(makeName: () => string, claim: Omit<RenderedClaim, "name">) {
    this.namespace = claim.namespace;
    this.labels = claim.labels;
    this.annotations = claim.annotations;
    this.consumer = claim.consumer;
    this.requests = claim.requests;
    this.resource = claim.resource;
    this.#makeName = makeName;
  }

  get name(): string {
    this.#name ??= this.#makeName();
    return this.#name;
  }
}

/** Size of the label cache, which has one entry for each version of the policy's kind. */
const labelsMax = 16;

/** Returns the identical object for all objects of a version, so that caches by identity work. */
function labelsOf(policy: string, given: Labels): Template["labels"] {
  const standard = { ...given, [labels.autoCreated]: "true", [labels.policy]: labelText(policy) };
  const cache = new Map<string, Labels>();
  return (trigger) => {
    const gvk = gvkText(trigger);
    const cached = cache.get(gvk);
    if (cached !== undefined) return cached;
    if (cache.size >= labelsMax) cache.clear();
    const all = Object.freeze({ ...standard, [labels.gvk]: labelText(gvk) });
    cache.set(gvk, all);
    return all;
  };
}

function annotated(
  given: Labels,
  policy: string,
  trigger: TriggerIdentity,
  { now, plane, policyPlane = "" }: ClaimInput,
): Labels {
  const all: Record<string, string> = { ...given };
  all[annotations.createdBy] = claimCreator;
  all[annotations.createdAt] = now;
  all[annotations.resourceName] = trigger.name;
  all[annotations.policy] = policy;
  if (plane !== "") all[annotations.resourcePlane] = plane;
  if (policyPlane !== "") all[annotations.policyPlane] = policyPlane;
  return all;
}

/** The manifest of a claim, with other annotations than its own and with further metadata if given. */
export function claimManifest(
  claim: RenderedClaim,
  noted: Labels = claim.annotations,
  more: Pick<ObjectMeta, "ownerReferences" | "uid" | "finalizers"> = {},
): JsonObject {
  const { name, namespace, labels: labelled, consumer, requests, resource } = claim;
  const metadata = extendObject({ name, namespace, labels: labelled, annotations: noted }, more);
  return {
    apiVersion: quotaApiVersion,
    kind: "ResourceClaim",
    metadata: metadata as unknown as JsonObject,
    spec: {
      consumerRef: consumerManifest(consumer),
      requests: requestsManifest(requests),
      resourceRef: referenceManifest(resource),
    },
  };
}
