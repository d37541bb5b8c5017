import type { AdmissionRequest } from "@milo-quota/kubernetes/protocol/admission-request.ts";
import type { Verdict as VerdictOf } from "@milo-quota/kubernetes/protocol/admission-verdict.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";

/** A create or update of an object. The object is complete, with its name and UID. */
export interface ObjectChange extends AdmissionRequest {
  readonly operation: "CREATE" | "UPDATE";
  readonly object: JsonObject;
  /** Time left until the caller gives up, where the caller states it. */
  readonly waitMsMax?: number;
}

/** A deletion of an object. */
export interface ObjectRemoval extends AdmissionRequest {
  readonly operation: "DELETE";
  readonly oldObject: JsonObject;
}

export function isObjectChange(request: AdmissionRequest): request is ObjectChange {
  return (request.operation === "CREATE" || request.operation === "UPDATE") && request.object !== undefined;
}

export function isObjectRemoval(request: AdmissionRequest): request is ObjectRemoval {
  return request.operation === "DELETE" && request.oldObject !== undefined;
}

export type Verdict = VerdictOf<ClaimTransaction>;

interface ClaimTransaction {
  readonly companions: Companions;
  /** Decides again when the companions could not be stored although nothing is wrong with the object. */
  readonly orElse: (why: "declined" | "conflict", signal: AbortSignal) => Promise<Verdict>;
}

export type Decide = (change: ObjectChange, signal: AbortSignal) => Promise<Verdict>;

export type DecideRemoval = (removal: ObjectRemoval, signal: AbortSignal) => Promise<Verdict>;

export const allowed: Verdict = { allowed: true };

/** Objects stored in one transaction with the admitted one. Opaque here: the API server that made it knows its type. */
export type Companions = object;
