import { type AnyObject, anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { Cluster } from "../cluster/cluster.ts";
import type { PlannedObject } from "./policy-claims.ts";

/** Whether the server would admit an object, if it were the only one to create. */
export type DryRunResult =
  | { readonly verdict: "fits" }
  | { readonly verdict: "does not fit" | "already exists" | "cannot be created"; readonly message: string };

export interface DryRun {
  readonly result: DryRunResult;
  /** As the server returns it, with defaults, for policies to evaluate; as it was sent if the server rejects it. */
  readonly object: JsonObject;
}

/** Creates the object as a dry run. */
export async function dryRun(
  { object, type }: PlannedObject,
  { target }: Cluster,
  signal: AbortSignal,
): Promise<DryRun> {
  const objects = target.resource(type, anyObject);
  try {
    const created = await objects.create(object as unknown as AnyObject, { dryRun: true }, signal);
    return { result: { verdict: "fits" }, object: created };
  } catch (error) {
    return { result: rejectedResult(error), object };
  }
}

function rejectedResult(error: unknown): DryRunResult {
  if (!(error instanceof StatusError) || [401, 429].includes(error.status.code)) throw error;
  const { status, message } = error;
  const isOverQuota = status.details?.causes?.some(({ reason }) => reason === "QuotaExceeded");
  if (isOverQuota === true) return { verdict: "does not fit", message };
  return { verdict: status.reason === "AlreadyExists" ? "already exists" : "cannot be created", message };
}

export function nameOf(object: JsonObject): string {
  const { metadata, kind } = object as unknown as AnyObject;
  return metadata.namespace === undefined
    ? `${kind}/${metadata.name}`
    : `${kind}/${metadata.namespace}/${metadata.name}`;
}
