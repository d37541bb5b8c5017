import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";

/** The object to change no longer exists. */
export class Gone extends Error {}

/** Swallows Gone, which needs no further work; rethrows every other error. */
export function ignoreGone(error: unknown): void {
  const isGone = error instanceof Gone || (error instanceof StatusError && error.status.reason === "NotFound");
  if (!isGone) throw error;
}
