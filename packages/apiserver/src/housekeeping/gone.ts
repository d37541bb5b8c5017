import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";

/** The object to change is not there any more. */
export class Gone extends Error {}

/** What is gone needs no keeping; every other error is one. */
export function ignoreGone(error: unknown): void {
  const isGone = error instanceof Gone || (error instanceof StatusError && error.status.reason === "NotFound");
  if (!isGone) throw error;
}
