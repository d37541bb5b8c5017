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
  const { operation, oldObject, warn } = request;
  if (operation !== "DELETE" || oldObject === undefined) return undefined;
  return { ...subjectOf(request), oldObject: oldObject as JsonObject, warn };
}

/** Which object it is about, and who asks. */
function subjectOf({ plane, kind, namespace, name, user }: AdmissionRequest) {
  const { username, uid, groups, extra } = user;
  return {
    plane,
    type: kind,
    kind: kind.kind,
    namespace: kind.scope === "Cluster" ? "" : namespace,
    name,
    user: { name: username, uid, groups, extra },
  };
}

/** Undefined for what is no object of its kind being created or changed. */
function changeOf(request: AdmissionRequest): ObjectChange | undefined {
  const { operation, kind, subresource, dryRun, object, warn } = request;
  if (operation === "DELETE" || object === undefined || object.kind !== kind.kind) return undefined;
  return {
    ...subjectOf(request),
    operation,
    subresource,
    dryRun,
    object: object as JsonObject,
    oldObject: request.oldObject as JsonObject | undefined,
    warn,
  };
}
