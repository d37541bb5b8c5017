import type { AdmissionRequest } from "@milo-quota/kubernetes/protocol/admission-request.ts";
import type { Verdict as VerdictOf } from "@milo-quota/kubernetes/protocol/admission-verdict.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";

/** An object that is about to be stored, as it will be: its name and UID included. */
export interface ObjectChange extends AdmissionRequest {
  readonly operation: "CREATE" | "UPDATE";
  readonly object: JsonObject;
  /** How long whoever asks will wait for the answer, where that is known and less than usual. */
  readonly waitMsMax?: number;
}

/** An object that is about to be deleted, as it is. */
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

export type Verdict = VerdictOf<Together>;

interface Together {
  readonly companions: Companions;
  /** Another verdict, when the companions cannot be stored although nothing is wrong with the object. */
  readonly orElse: (why: "declined" | "conflict", signal: AbortSignal) => Promise<Verdict>;
}

/** Has a say in changes. */
export type Decide = (change: ObjectChange, signal: AbortSignal) => Promise<Verdict>;

/** Has a say in deletions. */
export type DecideRemoval = (removal: ObjectRemoval, signal: AbortSignal) => Promise<Verdict>;

export const allowed: Verdict = { allowed: true };

/** What is stored in one transaction with an object. The server that gave it knows what it is. */
export type Companions = object;
