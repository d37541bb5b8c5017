import type { ResourceClient } from "../../kube/client/resource-client.ts";
import { timeText } from "../../kube/timestamp.ts";
import { StatusError } from "../../protocol/api-status.ts";
import type { Clock } from "../../protocol/clock.ts";
import { type Condition, type ConditionStatus, setCondition } from "../../protocol/condition.ts";
import { type JsonValue, jsonEquals } from "../../protocol/json-value.ts";
import type { KubernetesObject } from "../../protocol/object-meta.ts";
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

/** Writes what the status is to say, unless it says so already. */
export async function writeStatus<Kind extends Conditioned>(
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
  if (jsonEquals(before as unknown as JsonValue, after as unknown as JsonValue)) return object;
  return client.updateStatus({ ...object, status: after } as KubernetesObject, {}, signal);
}

/** Adds or takes away our finalizer, on the very version that is known. */
export function writeFinalizer<Kind extends KubernetesObject>(
  client: ResourceClient<Kind>,
  { metadata }: Kind,
  kept: "kept" | "released",
  signal: AbortSignal,
): Promise<Kind> {
  const { name = "", uid, resourceVersion, finalizers = [] } = metadata;
  const others = finalizers.filter((finalizer) => finalizer !== tenancyFinalizer);
  const body = {
    metadata: { uid, resourceVersion, finalizers: kept === "kept" ? [...others, tenancyFinalizer] : others },
  };
  return client.patch({ name }, { type: "merge", body }, {}, signal);
}

/** Lets a failure be that means that somebody else was faster: what they did is told soon. */
export function unlessOvertaken(error: unknown): void {
  if (!(error instanceof StatusError) || !["NotFound", "Conflict"].includes(error.status.reason ?? "")) throw error;
}
