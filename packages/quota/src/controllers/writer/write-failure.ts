import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";

/**
 * What a failed write means. After a conflict it did not happen, and what is there is not what we thought. After a refusal
 * it did not happen either. Else nobody knows: it may have happened, and may even happen later.
 */
export function meaningOf(error: unknown): "conflict" | "refused" | "unknown" {
  if (!(error instanceof StatusError)) return "unknown";
  const { code, reason } = error.status;
  if (code === 404 || reason === "Conflict") return "conflict";
  return code >= 400 && code < 500 ? "refused" : "unknown";
}
