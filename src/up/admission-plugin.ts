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
function removalOf({ operation, plane, kind, namespace, name, user, oldObject, warn }: AdmissionRequest) {
  if (operation !== "DELETE" || oldObject === undefined) return undefined;
  const { username, uid, groups, extra } = user;
  const removal: ObjectRemoval = {
    plane,
    type: kind,
    kind: kind.kind,
    namespace: kind.scope === "Cluster" ? "" : namespace,
    name,
    user: { name: username, uid, groups, extra },
    oldObject: oldObject as JsonObject,
    warn,
  };
  return removal;
}

/** Undefined for what is no object of its kind being created or changed. */
function changeOf(request: AdmissionRequest): ObjectChange | undefined {
  const { operation, plane, kind, subresource, namespace, name, dryRun, warn } = request;
  if (operation === "DELETE" || request.object === undefined || request.object.kind !== kind.kind) return undefined;
  const { username, uid, groups, extra } = request.user;
  return {
    operation,
    plane,
    type: kind,
    kind: kind.kind,
    subresource,
    namespace: kind.scope === "Cluster" ? "" : namespace,
    name,
    user: { name: username, uid, groups, extra },
    dryRun,
    object: request.object as JsonObject,
    oldObject: request.oldObject as JsonObject | undefined,
    warn,
  };
}
