import { quote } from "@milo-quota/kubernetes/protocol/go-quote.ts";
import { isJsonObject, type JsonValue, jsonEquals, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { writeJson } from "@milo-quota/kubernetes/protocol/json-writer.ts";
import { formatApiVersion } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { pruneAndDefault as shapedBySchema } from "@milo-quota/kubernetes/schema/prune-and-default.ts";
import type { AdmissionRequest } from "../../registry/admission/admission-plugin.ts";
import type { ApiObject } from "../../registry/kinds/api-object.ts";
import type { ServedKind } from "../../registry/kinds/served-kind.ts";
import { inVersion } from "./admission-review.ts";
import { type CallDeps, callWebhook } from "./call-webhook.ts";
import type { Webhook } from "./webhook.ts";
import { internalError, requestTimedOut, WebhookCallFailed } from "./webhook-errors.ts";
import { type Invocation, invocationOf, type MatchingDeps } from "./webhook-invocation.ts";

export interface MutatingDeps extends MatchingDeps, CallDeps {
  /** Applies a JSON patch; throws an error that names the failing operation. */
  readonly applyPatch: (document: JsonValue, patch: JsonValue) => JsonValue;
}

/** Reinvocation: webhooks that are called again because later webhooks changed the object. */
interface ReinvocationState {
  /** Called, with reinvocationPolicy IfNeeded. */
  asked: ReadonlySet<string>;
  readonly again: Set<string>;
  hasChanged: boolean;
}

const patchAnnotation = "patch.webhook.admission.k8s.io/";
const mutationAnnotation = "mutation.webhook.admission.k8s.io/";

/**
 * Calls the webhooks one after the other and returns the mutated object; undefined for a delete, which has no object.
 */
export async function mutateByWebhooks(
  request: AdmissionRequest,
  webhooks: readonly Webhook[],
  deps: MutatingDeps,
  signal: AbortSignal,
): Promise<ApiObject | undefined> {
  const rounds: ReinvocationState = { asked: new Set(), again: new Set(), hasChanged: false };
  const first = await runRound({ request, webhooks, rounds, round: 0 }, deps, signal);
  if (!rounds.hasChanged || rounds.again.size === 0) return first.object;
  return (await runRound({ request: first, webhooks, rounds, round: 1 }, deps, signal)).object;
}

interface Round {
  readonly request: AdmissionRequest;
  readonly webhooks: readonly Webhook[];
  readonly rounds: ReinvocationState;
  readonly round: 0 | 1;
}

async function runRound(
  { request, webhooks, rounds, round }: Round,
  deps: MutatingDeps,
  signal: AbortSignal,
): Promise<AdmissionRequest> {
  let current = request;
  for (const [index, webhook] of webhooks.entries()) {
    if (round === 1 && !rounds.again.has(webhook.id)) continue;
    const invocation = invocationOf(webhook, current, deps);
    if (invocation === undefined) continue;
    const before = current;
    current = await callAndPatch(invocation, before, { ...deps, step: `round_${round}_index_${index}` }, signal);
    if (current !== before) requireReinvocation(rounds);
    if (webhook.reinvocationPolicy === "IfNeeded") rounds.asked = new Set([...rounds.asked, webhook.id]);
  }
  return current;
}

/** Webhooks called before a change have not seen it. */
function requireReinvocation(rounds: ReinvocationState): void {
  rounds.hasChanged = true;
  for (const id of rounds.asked) rounds.again.add(id);
  rounds.asked = new Set();
}

/** The request after a webhook was called; the same object when the webhook changed nothing. */
async function callAndPatch(
  invocation: Invocation,
  request: AdmissionRequest,
  deps: MutatingDeps & { readonly step: string },
  signal: AbortSignal,
): Promise<AdmissionRequest> {
  const { webhook } = invocation;
  let changed = request;
  try {
    const { patch } = await callWebhook(invocation, request, deps, signal);
    if (patch !== undefined) changed = patched(invocation, request, patch, deps);
  } catch (error) {
    if (!(error instanceof WebhookCallFailed)) throw error;
    if (webhook.failurePolicy === "Fail") throw internalError(error.message);
    if (signal.aborted) throw requestTimedOut();
    deps.annotate(request, `failed-open.${mutationAnnotation}${deps.step}`, webhook.name);
  }
  const mutated = { configuration: webhook.configuration, webhook: webhook.name, mutated: changed !== request };
  deps.annotate(request, `${mutationAnnotation}${deps.step}`, writeJson(mutated));
  return changed;
}

function patched(
  { webhook, kind }: Invocation,
  request: AdmissionRequest,
  patch: JsonValue,
  deps: MutatingDeps & { readonly step: string },
): AdmissionRequest {
  const before = inVersion(request.object, kind);
  if (before === null) {
    const attempt = `admission webhook ${quote(webhook.name)} attempted to modify the object`;
    throw internalError(`${attempt}, which is not supported for this operation`);
  }
  const after = defaultedObject(applied(before, patch, deps), kind);
  const { configuration, name } = webhook;
  const note = { configuration, webhook: name, patch, patchType: "JSONPatch" };
  deps.annotate(request, `${patchAnnotation}${deps.step}`, writeJson(note));
  return jsonEquals(before, after) ? request : { ...request, object: inVersion(after, request.kind) as ApiObject };
}

function applied(object: ApiObject, patch: JsonValue, { applyPatch }: MutatingDeps): JsonValue {
  try {
    return applyPatch(object, patch);
  } catch (error) {
    throw internalError((error as Error).message);
  }
}

/** Applies defaults again, so that the next webhook sees a defaulted object. */
function defaultedObject(value: JsonValue, kind: ServedKind): ApiObject {
  if (!isJsonObject(value)) throw internalError("the patch of an admission webhook does not result in an object");
  // An object without metadata is rejected later by validation, which reports everything else as well.
  const metadata = ownValue(value, "metadata") ?? {};
  const named = { ...value, metadata, apiVersion: formatApiVersion(kind.group, kind.version), kind: kind.kind };
  const problem = kind.decodeIssue?.(named);
  if (problem !== undefined) throw internalError(problem);
  return shapedBySchema(kind.schema, named, true).value as ApiObject;
}
