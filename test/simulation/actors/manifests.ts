import type { KubernetesObject } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { type Consumer, type Counted, configMapKind, type PolicyName, placeDimension } from "./tiny-world.ts";

const apiVersion = "quota.miloapis.com/v1alpha1";

type Manifest = KubernetesObject & { readonly spec?: object };

/** So much of something, perhaps in a place. */
export interface Wanted {
  readonly counted: Counted;
  readonly amount: number;
  readonly place: string | undefined;
}

export function registrationOf({ resourceType, consumerKind, claimedBy, places }: Counted, name: string): Manifest {
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

export function grantOf(consumer: Consumer, name: string, given: readonly Wanted[], expiresAt?: string): Manifest {
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

/** Keeps a claim after its deletion until its service says that it is done. */
const serviceFinalizer = "example.com/cleaning-up";

export function claimOf(consumer: Consumer, name: string, wanted: readonly Wanted[], isKept = false): Manifest {
  const finalizers = isKept ? { finalizers: [serviceFinalizer] } : {};
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

/** What may be different about a policy. */
export interface PolicyTurn {
  readonly disabled?: boolean;
  readonly existingObjects?: "Ignore" | "Adopt";
  /** Of the fixed ones. */
  readonly amount?: number;
}

export function policyOf(
  name: PolicyName,
  counted: Counted,
  { disabled, existingObjects, amount = 1 }: PolicyTurn,
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

/** Gives the organization that a Secret names so much, in the plane of the organization. */
export function bonusPolicyOf({ resourceType }: Counted, { disabled, amount = 1 }: PolicyTurn): Manifest {
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

function templateOf(name: PolicyName, { resourceType, places }: Counted, amount: number): object {
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

/** Label of objects that nobody asks the door about. */
export const bypassLabel = "bypass";

export interface Labelled {
  readonly org: string;
  readonly place: string;
  readonly cores?: string;
}

export function configMapOf(name: string, labels: Labelled, finalizers: readonly string[] = []): Manifest {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "default", labels: { ...labels }, ...(finalizers.length === 0 ? {} : { finalizers }) },
  };
}

/** Without webhooks: it is there to be counted. */
export function webhookConfigurationOf(name: string): Manifest {
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name, labels: { place: "here" } },
  };
}
