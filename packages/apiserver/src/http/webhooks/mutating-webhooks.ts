import { quote } from "@milo-quota/kubernetes/protocol/go-quote.ts";
import { isJsonObject, type JsonValue, jsonEquals, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { writeJson } from "@milo-quota/kubernetes/protocol/json-writer.ts";
import { formatApiVersion } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { shaped as shapedBySchema } from "@milo-quota/kubernetes/schema/shape-value.ts";
import type { AdmissionRequest } from "../../registry/admission/admission-plugin.ts";
import type { ApiObject } from "../../registry/kinds/api-object.ts";
import type { ServedKind } from "../../registry/kinds/served-kind.ts";
import { inVersion } from "./admission-review.ts";
import { type CallDeps, callWebhook } from "./call-webhook.ts";
import type { Webhook } from "./webhook.ts";
import { internalError, requestTimedOut, WebhookCallFailed } from "./webhook-failure.ts";
import { type Invocation, invocationOf, type MatchingDeps } from "./webhook-invocation.ts";

export interface MutatingDeps extends MatchingDeps, CallDeps {
  /** Applies a JSON patch; throws an error that says which step fails. */
  readonly applyPatch: (document: JsonValue, patch: JsonValue) => JsonValue;
}

/** Which webhooks get to see the object once more, because others changed it after they did. */
interface Rounds {
  /** Asked already, and willing to be asked again. */
  asked: ReadonlySet<string>;
  readonly again: Set<string>;
  hasChanged: boolean;
}

const patchAnnotation = "patch.webhook.admission.k8s.io/";
const mutationAnnotation = "mutation.webhook.admission.k8s.io/";

/** The object as the webhooks leave it, one after the other; undefined for a delete, where there is none. */
export async function mutateByWebhooks(
  request: AdmissionRequest,
  webhooks: readonly Webhook[],
  deps: MutatingDeps,
  signal: AbortSignal,
): Promise<ApiObject | undefined> {
  const rounds: Rounds = { asked: new Set(), again: new Set(), hasChanged: false };
  const first = await runRound({ request, webhooks, rounds, round: 0 }, deps, signal);
  if (!rounds.hasChanged || rounds.again.size === 0) return first.object;
  return (await runRound({ request: first, webhooks, rounds, round: 1 }, deps, signal)).object;
}

interface Round {
  readonly request: AdmissionRequest;
  readonly webhooks: readonly Webhook[];
  readonly rounds: Rounds;
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
    current = await askedOf(invocation, before, { ...deps, step: `round_${round}_index_${index}` }, signal);
    if (current !== before) requireAnother(rounds);
    if (webhook.reinvocationPolicy === "IfNeeded") rounds.asked = new Set([...rounds.asked, webhook.id]);
  }
  return current;
}

/** Those asked before a change have not seen it. */
function requireAnother(rounds: Rounds): void {
  rounds.hasChanged = true;
  for (const id of rounds.asked) rounds.again.add(id);
  rounds.asked = new Set();
}

/** The request after a webhook was asked; the same one when it changed nothing. */
async function askedOf(
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
  const after = shaped(applied(before, patch, deps), kind);
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

/** Defaults are filled in anew, so that the next webhook sees an object as whole as the first did. */
function shaped(value: JsonValue, kind: ServedKind): ApiObject {
  if (!isJsonObject(value)) throw internalError("the patch of an admission webhook leaves no object");
  // Without metadata an object is as good as without a name, which is refused with all else that is wrong with it.
  const metadata = ownValue(value, "metadata") ?? {};
  const named = { ...value, metadata, apiVersion: formatApiVersion(kind.group, kind.version), kind: kind.kind };
  const problem = kind.decodeIssue?.(named);
  if (problem !== undefined) throw internalError(problem);
  return shapedBySchema(kind.schema, named, true).value as ApiObject;
}
