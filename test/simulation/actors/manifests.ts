import type { KubernetesObject } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { type Consumer, type CountedType, configMapKind, type PolicyName, placeDimension } from "./topology.ts";

const apiVersion = "quota.miloapis.com/v1alpha1";

type Manifest = KubernetesObject & { readonly spec?: object };

/** An amount of a resource type, optionally with a place dimension. */
export interface TypeAmount {
  readonly counted: CountedType;
  readonly amount: number;
  readonly place: string | undefined;
}

export function registrationOf({ resourceType, consumerKind, claimedBy, places }: CountedType, name: string): Manifest {
  return {
    apiVersion,
    kind: "ResourceRegistration",
    metadata: { name },
    spec: {
      resourceType,
      type: "Entity",
      consumerType: { apiGroup: "resourcemanager.miloapis.com", kind: consumerKind },
      baseUnit: "thing",
      claimingResources: [claimedBy],
      ...(places.length === 0 ? {} : { dimensions: [placeDimension] }),
    },
  };
}

export function grantOf(consumer: Consumer, name: string, given: readonly TypeAmount[], expiresAt?: string): Manifest {
  return {
    apiVersion,
    kind: "ResourceGrant",
    metadata: { name, namespace: "milo-system" },
    spec: {
      consumerRef: referenceTo(consumer),
      allowances: given.map(({ counted, amount, place }) => ({
        resourceType: counted.resourceType,
        buckets: [
          {
            amount,
            ...(place === undefined ? {} : { dimensionSelector: { matchLabels: { [placeDimension]: place } } }),
          },
        ],
      })),
      ...(expiresAt === undefined ? {} : { expiresAt }),
    },
  };
}

/** Keeps a deleted claim until its service has cleaned up. */
const serviceFinalizer = "example.com/cleaning-up";

export function claimOf(
  consumer: Consumer,
  name: string,
  wanted: readonly TypeAmount[],
  hasFinalizer = false,
): Manifest {
  const finalizers = hasFinalizer ? { finalizers: [serviceFinalizer] } : {};
  return {
    apiVersion,
    kind: "ResourceClaim",
    metadata: { name, namespace: "milo-system", ...finalizers },
    spec: {
      consumerRef: referenceTo(consumer),
      requests: wanted.map(({ counted, amount, place }) => ({
        resourceType: counted.resourceType,
        amount,
        ...(place === undefined ? {} : { dimensions: { [placeDimension]: place } }),
      })),
    },
  };
}

/** Fields that actors vary in policies. */
export interface PolicyVariant {
  readonly disabled?: boolean;
  readonly existingObjects?: "Ignore" | "Adopt";
  /** Only for policies with a fixed amount. */
  readonly amount?: number;
}

export function policyOf(
  name: PolicyName,
  counted: CountedType,
  { disabled, existingObjects, amount = 1 }: PolicyVariant,
): Manifest {
  return {
    apiVersion,
    kind: "ClaimCreationPolicy",
    metadata: { name },
    spec: {
      ...(disabled === undefined ? {} : { disabled }),
      ...(existingObjects === undefined ? {} : { existingObjects }),
      trigger: name.startsWith("hooks") ? hooksTrigger : configMapsWith(name === "cores" ? "cores" : "org"),
      target: { resourceClaimTemplate: { spec: templateOf(name, counted, amount) } },
    },
  };
}

/** Grants the amount on a Secret's label to the organization on its label, in the plane of the organization. */
export function bonusPolicyOf({ resourceType }: CountedType, { disabled, amount = 1 }: PolicyVariant): Manifest {
  const organization = { apiGroup: "resourcemanager.miloapis.com", kind: "Organization" };
  const bucket = amount === 1 ? { amountExpression: "int(trigger.metadata.labels.bonus)" } : { amount };
  return {
    apiVersion,
    kind: "GrantCreationPolicy",
    metadata: { name: "bonus" },
    spec: {
      ...(disabled === undefined ? {} : { disabled }),
      trigger: {
        resource: { apiVersion: "v1", kind: "Secret" },
        constraints: [{ expression: 'trigger.metadata.labels["org"] != ""' }],
      },
      target: {
        parentContext: { ...organization, nameExpression: "trigger.metadata.labels.org" },
        resourceGrantTemplate: {
          spec: {
            consumerRef: { ...organization, name: "{{ trigger.metadata.labels.org }}" },
            allowances: [{ resourceType, buckets: [bucket] }],
          },
        },
      },
    },
  };
}

export function secretOf(name: string, labels: Readonly<Record<string, string>>): Manifest {
  return { apiVersion: "v1", kind: "Secret", metadata: { name, namespace: "default", labels } };
}

const hooksTrigger = {
  resource: { apiVersion: "admissionregistration.k8s.io/v1", kind: "ValidatingWebhookConfiguration" },
};

function configMapsWith(label: string): object {
  const constraints = [{ expression: `trigger.metadata.labels[${JSON.stringify(label)}] != ""` }];
  return { resource: { apiVersion: "v1", kind: configMapKind.kind }, constraints };
}

function templateOf(name: PolicyName, { resourceType, places }: CountedType, amount: number): object {
  const dimensions =
    places.length === 0 ? {} : { dimensions: { [placeDimension]: "{{ trigger.metadata.labels.place }}" } };
  const request = { resourceType, ...dimensions };
  if (name.startsWith("hooks")) return { requests: [{ ...request, amount }] };
  return {
    consumerRef: {
      apiGroup: "resourcemanager.miloapis.com",
      kind: "Organization",
      name: "{{ trigger.metadata.labels.org }}",
    },
    requests: [
      name === "cores"
        ? { ...request, amountExpression: "int(trigger.metadata.labels.cores)" }
        : { ...request, amount },
    ],
  };
}

function referenceTo({ apiGroup, kind, name }: Consumer): object {
  return { apiGroup, kind, name };
}

/** Label of objects that are stored without admission. */
export const bypassLabel = "bypass";

export interface ConfigMapLabels {
  readonly org: string;
  readonly place: string;
  readonly cores?: string;
}

export function configMapOf(name: string, labels: ConfigMapLabels, finalizers: readonly string[] = []): Manifest {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "default", labels: { ...labels }, ...(finalizers.length === 0 ? {} : { finalizers }) },
  };
}

/** Has no webhooks: it only exists to be counted. */
export function webhookConfigurationOf(name: string): Manifest {
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name, labels: { place: "here" } },
  };
}
