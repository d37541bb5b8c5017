import type { ResourceClient } from "@milo-quota/kubernetes/client/resources/resource-client.ts";
import { writeStatus } from "@milo-quota/kubernetes/client/resources/write-status.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";
import { type Condition, type ConditionStatus, setCondition } from "@milo-quota/kubernetes/protocol/condition.ts";
import type { KubernetesObject, OwnerReference } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { formatTime } from "@milo-quota/kubernetes/protocol/time.ts";
import { organizationDefinition } from "../resources/organization.ts";
import { tenancyFinalizer } from "../resources/tenancy-names.ts";

interface Conditioned extends KubernetesObject {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

export interface Readiness {
  readonly status: ConditionStatus;
  readonly reason: string;
  readonly message: string;
}

/** Writes the condition Ready and other status fields, unless nothing changes. */
export async function writeReadiness<Kind extends Conditioned>(
  { client, clock }: { readonly client: ResourceClient<Kind>; readonly clock: Clock },
  object: Kind,
  { readiness, ...others }: { readonly readiness: Readiness } & Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<Kind> {
  const { status: before = {}, metadata } = object;
  const { generation } = metadata;
  const observed = generation === undefined ? {} : { observedGeneration: generation };
  const state = { type: "Ready", ...readiness, ...observed };
  const conditions = setCondition(before.conditions ?? [], state, formatTime(clock.now()));
  const after = { ...before, ...others, ...observed, conditions };
  return (await writeStatus(client, object, { before, after }, signal)) ?? object;
}

/** Adds our finalizer and an owner, if there is one, on the version that was read. */
export function addFinalizer<Kind extends KubernetesObject>(
  client: ResourceClient<Kind>,
  { metadata }: Kind,
  owner: OwnerReference | undefined,
  signal: AbortSignal,
): Promise<Kind> {
  const { name = "", uid, resourceVersion, finalizers = [], ownerReferences = [] } = metadata;
  const withOurs = [...new Set([...finalizers, tenancyFinalizer])];
  const owned = owner === undefined ? {} : { ownerReferences: [...ownerReferences, owner] };
  const body = { metadata: { uid, resourceVersion, finalizers: withOurs, ...owned } };
  return client.patch({ name }, { type: "merge", body }, {}, signal);
}

/** The owner reference by which the garbage collector deletes an object together with its organization. */
export function ownedBy(organization: { readonly name: string; readonly uid: string }): OwnerReference {
  const { group, version, kind } = organizationDefinition;
  return { apiVersion: `${group}/${version}`, kind, ...organization, controller: true, blockOwnerDeletion: true };
}

/** Removes our finalizer, on the version that was read. */
export function removeFinalizer<Kind extends KubernetesObject>(
  client: ResourceClient<Kind>,
  { metadata }: Kind,
  signal: AbortSignal,
): Promise<Kind> {
  const { name = "", uid, resourceVersion, finalizers = [] } = metadata;
  const others = finalizers.filter((finalizer) => finalizer !== tenancyFinalizer);
  const body = { metadata: { uid, resourceVersion, finalizers: others } };
  return client.patch({ name }, { type: "merge", body }, {}, signal);
}

/** Ignores NotFound and Conflict: another client was faster, and its write triggers the next reconcile. */
export function ignoreConflict(error: unknown): void {
  if (!(error instanceof StatusError) || !["NotFound", "Conflict"].includes(error.status.reason ?? "")) throw error;
}
