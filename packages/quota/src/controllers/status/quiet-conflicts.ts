import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";

/** Somebody else wrote first, or what was written is not seen yet. A few of these in a row are everyday life. */
const conflictsMax = 6;

export function isConflict(error: unknown): boolean {
  return error instanceof StatusError && error.status.reason === "Conflict";
}

/** Whether a failure is worth anybody's attention: conflicts go away by themselves, unless they do not. */
export function isWorthReporting(error: unknown, failures: number): boolean {
  return !isConflict(error) || failures > conflictsMax;
}
