import type { ResourceClient } from "@milo-quota/kubernetes/client/resources/resource-client.ts";
import { writeStatus } from "@milo-quota/kubernetes/client/resources/write-status.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";
import { type Condition, type ConditionStatus, setCondition } from "@milo-quota/kubernetes/protocol/condition.ts";
import type { KubernetesObject, OwnerReference } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { timeText } from "@milo-quota/kubernetes/protocol/time.ts";
import { organizationDefinition } from "../resources/organization.ts";
import { tenancyFinalizer } from "../resources/tenancy-names.ts";

/** An object whose status says how it is in a condition. */
interface Conditioned extends KubernetesObject {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

export interface Readiness {
  readonly status: ConditionStatus;
  readonly reason: string;
  readonly message: string;
}

/** Writes the condition Ready, and what else the status is to say, unless it says so already. */
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
  const conditions = setCondition(before.conditions ?? [], state, timeText(clock.now()));
  const after = { ...before, ...others, ...observed, conditions };
  return (await writeStatus(client, object, { before, after }, signal)) ?? object;
}

/** Holds an object by our finalizer, on the very version that is known; and gives it an owner, if there is one. */
export function hold<Kind extends KubernetesObject>(
  client: ResourceClient<Kind>,
  { metadata }: Kind,
  owner: OwnerReference | undefined,
  signal: AbortSignal,
): Promise<Kind> {
  const { name = "", uid, resourceVersion, finalizers = [], ownerReferences = [] } = metadata;
  const held = [...new Set([...finalizers, tenancyFinalizer])];
  const owned = owner === undefined ? {} : { ownerReferences: [...ownerReferences, owner] };
  const body = { metadata: { uid, resourceVersion, finalizers: held, ...owned } };
  return client.patch({ name }, { type: "merge", body }, {}, signal);
}

/** What goes with an organization, even if nobody is there to see to it. */
export function ownedBy(organization: { readonly name: string; readonly uid: string }): OwnerReference {
  const { group, version, kind } = organizationDefinition;
  return { apiVersion: `${group}/${version}`, kind, ...organization, controller: true, blockOwnerDeletion: true };
}

/** Lets go of an object, on the very version that is known. */
export function release<Kind extends KubernetesObject>(
  client: ResourceClient<Kind>,
  { metadata }: Kind,
  signal: AbortSignal,
): Promise<Kind> {
  const { name = "", uid, resourceVersion, finalizers = [] } = metadata;
  const others = finalizers.filter((finalizer) => finalizer !== tenancyFinalizer);
  const body = { metadata: { uid, resourceVersion, finalizers: others } };
  return client.patch({ name }, { type: "merge", body }, {}, signal);
}

/** Lets a failure be that means that somebody else was faster: what they did is told soon. */
export function unlessOvertaken(error: unknown): void {
  if (!(error instanceof StatusError) || !["NotFound", "Conflict"].includes(error.status.reason ?? "")) throw error;
}
