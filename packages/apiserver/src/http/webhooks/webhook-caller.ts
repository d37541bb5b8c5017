import type { JsonObject, JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { WebhookAddress } from "./webhook.ts";

export interface WebhookCall {
  readonly address: WebhookAddress;
  readonly review: JsonObject;
  readonly timeoutSeconds: number;
}

/** A webhook could not be reached, or did not answer as it should; worded as Kubernetes words it. */
export class CallFailed extends Error {
  override readonly name = "CallFailed";
}

/** Sends a review to a webhook. */
export interface WebhookCaller {
  /** The object it answers with. Rejects with CallFailed, and with the reason of the signal. */
  call(call: WebhookCall, signal: AbortSignal): Promise<JsonValue>;
}
