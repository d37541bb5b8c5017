import type { Decide, DecideRemoval, ObjectChange, ObjectRemoval } from "../admission/object-change.ts";
import type { AdmissionPlugin, AdmissionRequest, Verdict as PluginVerdict } from "../apiserver/registry/admission.ts";
import type { JsonObject } from "../protocol/json-value.ts";

/**
 * Admission in the process of the server: asked without a request, told what became of each object. Until there is somebody
 * to ask, everything is let in; the server listens to nobody else by then.
 */
export class QuotaPlugin implements AdmissionPlugin {
  readonly name = "milo-quota";
  #asked: { readonly decide: Decide; readonly decideRemoval: DecideRemoval } | undefined;

  ask(asked: { readonly decide: Decide; readonly decideRemoval: DecideRemoval }): void {
    this.#asked = asked;
  }

  readonly validate = async (request: AdmissionRequest, signal: AbortSignal): Promise<PluginVerdict> => {
    if (this.#asked === undefined) return { allowed: true };
    const removal = removalOf(request);
    if (removal !== undefined) {
      const answer = await this.#asked.decideRemoval(removal, signal);
      return answer.allowed ? { allowed: true } : answer;
    }
    const change = changeOf(request);
    if (change === undefined) return { allowed: true };
    const verdict = await this.#asked.decide(change, signal);
    if (!verdict.allowed) return verdict;
    const { settled } = verdict;
    return settled === undefined ? { allowed: true } : { allowed: true, settled: ({ stored }) => settled(stored) };
  };
}

/** Undefined for what is no object being deleted. */
function removalOf(request: AdmissionRequest): ObjectRemoval | undefined {
  const { plane, operation, kind, name, oldObject, warn } = request;
  if (operation !== "DELETE" || oldObject === undefined) return undefined;
  const [namespace, user] = [namespaceOf(request), userOf(request)];
  return { plane, type: kind, kind: kind.kind, namespace, name, user, oldObject: oldObject as JsonObject, warn };
}

/** Undefined for what is no object of its kind being created or changed. */
function changeOf(request: AdmissionRequest): ObjectChange | undefined {
  const { plane, operation, kind, name, subresource, dryRun, object, oldObject, warn } = request;
  if (operation === "DELETE" || object === undefined || object.kind !== kind.kind) return undefined;
  return {
    plane,
    operation,
    type: kind,
    kind: kind.kind,
    namespace: namespaceOf(request),
    name,
    subresource,
    dryRun,
    user: userOf(request),
    object: object as JsonObject,
    oldObject: oldObject as JsonObject | undefined,
    warn,
  };
}

function namespaceOf({ kind, namespace }: AdmissionRequest): string {
  return kind.scope === "Cluster" ? "" : namespace;
}

function userOf({ user }: AdmissionRequest): ObjectChange["user"] {
  const { username, uid, groups, extra } = user;
  return { name: username, uid, groups, extra };
}
