import { type ApiStatus, failure, StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { quote } from "@milo-quota/kubernetes/protocol/go-quote.ts";
import { isJsonObject, type JsonValue, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";

/** A webhook could not be called or its response is unusable. The failure policy decides about the request. */
export class WebhookCallFailed extends Error {
  override readonly name = "WebhookCallFailed";

  constructor(webhook: string, reason: string) {
    super(`failed calling webhook ${quote(webhook)}: ${reason}`);
  }
}

/** The error for a failure that is not the client's fault. */
export function internalError(message: string): StatusError {
  return new StatusError(failure("InternalError", `Internal error occurred: ${message}`, { causes: [{ message }] }));
}

export function dryRunUnsupported(webhook: string): StatusError {
  return new StatusError(failure("BadRequest", `admission webhook ${quote(webhook)} does not support dry run`));
}

export function requestTimedOut(): StatusError {
  return new StatusError(failure("Timeout", "Timeout: request did not complete within requested timeout"));
}

/** The error for a request that a webhook rejects; `result` is the webhook's Status, if any. */
export function deniedBy(webhook: string, result: JsonValue | undefined): StatusError {
  const given = isJsonObject(result) ? result : {};
  const text = (key: string) => {
    const value = ownValue(given, key);
    return typeof value === "string" ? value : "";
  };
  const explanation = text("message") || text("reason");
  const denied = `admission webhook ${quote(webhook)} denied the request`;
  const details = ownValue(given, "details");
  const status = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: explanation === "" ? `${denied} without explanation` : `${denied}: ${explanation}`,
    ...(text("reason") === "" ? {} : { reason: text("reason") }),
    ...(isJsonObject(details) ? { details } : {}),
    code: rejectionCode(ownValue(given, "code")),
  };
  // A webhook may use reasons of its own, which are passed on to the client.
  return new StatusError(status as ApiStatus);
}

/** A rejection never has a success code, nor one that is no HTTP status. */
function rejectionCode(code: JsonValue | undefined): number {
  return typeof code === "number" && Number.isInteger(code) && code >= 400 && code <= 599 ? code : 400;
}
