import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";

/** A few conflicts in a row are normal: another client wrote first, or the cache is behind our own write. */
const conflictsMax = 6;

export function isConflict(error: unknown): boolean {
  return error instanceof StatusError && error.status.reason === "Conflict";
}

/** Whether to report a failure: conflicts are reported only when retries do not resolve them. */
export function shouldReport(error: unknown, failures: number): boolean {
  return !isConflict(error) || failures > conflictsMax;
}
