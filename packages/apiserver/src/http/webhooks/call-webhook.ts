import type { AdmissionRequest } from "../../registry/admission/admission-plugin.ts";
import { type AdmissionResponse, readResponse, UnusableResponse } from "./admission-response.ts";
import { admissionReview, reviewVersion } from "./admission-review.ts";
import { CallFailed, type WebhookCaller } from "./webhook-caller.ts";
import { deniedBy, dryRunUnsupported, WebhookCallFailed } from "./webhook-errors.ts";
import type { Invocation } from "./webhook-invocation.ts";

export interface CallDeps {
  readonly caller: WebhookCaller;
  /** A new UUID, which the webhook must repeat. */
  readonly newUid: () => string;
  /** Records an audit annotation of a request. */
  readonly annotate: (request: AdmissionRequest, key: string, value: string) => void;
}

/**
 * Calls one webhook. Rejects with WebhookCallFailed when the call fails, and with a StatusError when the webhook
 * rejects the request or has side effects that a dry run may not have.
 */
export async function callWebhook(
  { webhook, kind }: Invocation,
  request: AdmissionRequest,
  deps: CallDeps,
  signal: AbortSignal,
): Promise<AdmissionResponse> {
  if (request.dryRun && !["None", "NoneOnDryRun"].includes(webhook.sideEffects)) throw dryRunUnsupported(webhook.name);
  const version = reviewVersion(webhook.reviewVersions);
  if (version === undefined) {
    const unknown = "webhook does not accept known AdmissionReview versions (v1, v1beta1)";
    throw new WebhookCallFailed(webhook.name, `could not create admission objects: ${unknown}`);
  }
  const uid = deps.newUid();
  const call = {
    address: webhook.address,
    review: admissionReview(request, kind, uid, version),
    timeoutSeconds: webhook.timeoutSeconds,
  };
  try {
    const response = readResponse(await deps.caller.call(call, signal), { type: webhook.type, uid, version });
    return recordResponse(webhook.name, request, response, deps);
  } catch (error) {
    if (error instanceof CallFailed)
      throw new WebhookCallFailed(webhook.name, `failed to call webhook: ${error.message}`);
    if (error instanceof UnusableResponse) throw new WebhookCallFailed(webhook.name, error.message);
    throw error;
  }
}

/** Warnings and annotations are kept even when the webhook rejects the request. */
function recordResponse(
  name: string,
  request: AdmissionRequest,
  response: AdmissionResponse,
  { annotate }: CallDeps,
): AdmissionResponse {
  for (const [key, value] of Object.entries(response.auditAnnotations)) annotate(request, `${name}/${key}`, value);
  for (const warning of response.warnings) request.warn(warning);
  if (!response.allowed) throw deniedBy(name, response.result);
  return response;
}
