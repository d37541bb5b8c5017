import type { Reply } from "@milo-quota/kubernetes/client/transport/transport.ts";
import { type ApiStatus, failure, StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { writeJson } from "@milo-quota/kubernetes/protocol/json-writer.ts";

/** Errors with which a server rejects a request without acting on it. */
export type ServerError = "unavailable" | "busy";

function statusOf(error: ServerError): ApiStatus {
  return error === "busy"
    ? failure("TooManyRequests", "too many requests", { retryAfterSeconds: 1 })
    : failure("ServiceUnavailable", "the plane is not available");
}

export function errorReply(error: ServerError): Reply {
  const status = statusOf(error);
  return { code: status.code, headers: {}, body: writeJson(status) };
}

export function errorRejection(error: ServerError): Promise<never> {
  const rejection = Promise.reject(new StatusError(statusOf(error)));
  rejection.catch(() => undefined); // the caller may have given up by now
  return rejection;
}
