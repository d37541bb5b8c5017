import { type AnyObject, anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { Cluster } from "../cluster/cluster.ts";
import type { Creation } from "./wanted-claims.ts";

/** What the server says of one object, were it alone. */
export type Alone =
  | { readonly verdict: "fits" }
  | { readonly verdict: "does not fit" | "exists already" | "cannot be created"; readonly message: string };

export interface DryRun {
  readonly alone: Alone;
  /** With what the server fills in, where it says so: policies are asked about that. */
  readonly object: JsonObject;
}

/** Asks the server what it would say if an object were created now. */
export async function dryRun({ object, type }: Creation, { here }: Cluster, signal: AbortSignal): Promise<DryRun> {
  const objects = here.resource(type, anyObject);
  try {
    const filled = await objects.create(object as unknown as AnyObject, { dryRun: true }, signal);
    return { alone: { verdict: "fits" }, object: filled };
  } catch (error) {
    return { alone: refusedAlone(error), object };
  }
}

function refusedAlone(error: unknown): Alone {
  if (!(error instanceof StatusError) || [401, 429].includes(error.status.code)) throw error;
  const { status, message } = error;
  const isShort = status.details?.causes?.some(({ reason }) => reason === "QuotaExceeded");
  if (isShort === true) return { verdict: "does not fit", message };
  return { verdict: status.reason === "AlreadyExists" ? "exists already" : "cannot be created", message };
}

export function nameOf(object: JsonObject): string {
  const { metadata, kind } = object as unknown as AnyObject;
  return metadata.namespace === undefined
    ? `${kind}/${metadata.name}`
    : `${kind}/${metadata.namespace}/${metadata.name}`;
}
