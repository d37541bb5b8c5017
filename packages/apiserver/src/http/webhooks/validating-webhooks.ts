import type { AdmissionRequest } from "../../registry/admission/admission-plugin.ts";
import { type CallDeps, callWebhook } from "./call-webhook.ts";
import type { Webhook } from "./webhook.ts";
import { internalError, requestTimedOut, WebhookCallFailed } from "./webhook-errors.ts";
import { type Invocation, invocationOf, type MatchingDeps } from "./webhook-invocation.ts";

export type ValidatingDeps = MatchingDeps & CallDeps;

/** Concurrent webhook calls for one request. */
const parallelMax = 16;
const failedOpen = "failed-open.validating.webhook.admission.k8s.io/round_0_index_";

/** Calls all matching webhooks concurrently. Rejects with the StatusError of the first one that rejects. */
export async function validateByWebhooks(
  request: AdmissionRequest,
  webhooks: readonly Webhook[],
  deps: ValidatingDeps,
  signal: AbortSignal,
): Promise<void> {
  const invocations = webhooks.flatMap((webhook) => invocationOf(webhook, request, deps) ?? []);
  if (invocations.length === 0) return;
  if (signal.aborted) throw requestTimedOut();
  const problems = new Map<number, unknown>();
  const left = [...invocations.entries()];
  const work = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [index, invocation] = next;
      await callOne(invocation, request, { ...deps, index }, signal).catch((error) => problems.set(index, error));
    }
  };
  await Promise.all(Array.from({ length: Math.min(parallelMax, invocations.length) }, work));
  // In webhook order, so that the same request gets the same error.
  for (const index of invocations.keys()) if (problems.has(index)) throw problems.get(index);
}

async function callOne(
  invocation: Invocation,
  request: AdmissionRequest,
  deps: ValidatingDeps & { readonly index: number },
  signal: AbortSignal,
): Promise<void> {
  try {
    await callWebhook(invocation, request, deps, signal);
  } catch (error) {
    if (!(error instanceof WebhookCallFailed)) throw error;
    if (invocation.webhook.failurePolicy === "Fail") throw internalError(error.message);
    deps.annotate(request, `${failedOpen}${deps.index}`, invocation.webhook.name);
  }
}
