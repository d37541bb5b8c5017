import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";

/**
 * What a failed write means. After a conflict it was not applied, because the stored object differs from what we read; a
 * rejected write was not applied either. In the unknown case it may have been applied, or may still be.
 */
export function meaningOf(error: unknown): "conflict" | "rejected" | "unknown" {
  if (!(error instanceof StatusError)) return "unknown";
  const { code, reason } = error.status;
  if (code === 404 || reason === "Conflict") return "conflict";
  return code >= 400 && code < 500 ? "rejected" : "unknown";
}
