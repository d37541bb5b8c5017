import type { Reply } from "@milo-quota/kubernetes/client/transport/transport.ts";
import { type ApiStatus, failure, StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { writeJson } from "@milo-quota/kubernetes/protocol/json-writer.ts";

/** What becomes of a request that a server does nothing about. */
export type Undone = "unavailable" | "busy";

function statusOf(fate: Undone): ApiStatus {
  return fate === "busy"
    ? failure("TooManyRequests", "too many requests", { retryAfterSeconds: 1 })
    : failure("ServiceUnavailable", "the plane is not available");
}

export function replyTo(fate: Undone): Reply {
  const status = statusOf(fate);
  return { code: status.code, headers: {}, body: writeJson(status) };
}

export function refusalOf(fate: Undone): Promise<never> {
  const refusal = Promise.reject(new StatusError(statusOf(fate)));
  refusal.catch(() => undefined); // whoever asked may have given up by now
  return refusal;
}
