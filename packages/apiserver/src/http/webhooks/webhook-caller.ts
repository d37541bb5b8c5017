import type { JsonObject, JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { WebhookAddress } from "./webhook.ts";

export interface WebhookCall {
  readonly address: WebhookAddress;
  readonly review: JsonObject;
  readonly timeoutSeconds: number;
}

/** A webhook could not be reached or responded incorrectly; with Kubernetes' error text. */
export class CallFailed extends Error {
  override readonly name = "CallFailed";
}

/** Sends a review to a webhook. */
export interface WebhookCaller {
  /** Resolves to the response object. Rejects with CallFailed, and with the reason of the signal. */
  call(call: WebhookCall, signal: AbortSignal): Promise<JsonValue>;
}
