import type { Decide, ObjectChange } from "../admission/object-change.ts";
import type { AdmissionPlugin, AdmissionRequest, Verdict as PluginVerdict } from "../apiserver/registry/admission.ts";
import type { JsonObject } from "../protocol/json-value.ts";

/**
 * Admission in the process of the server: asked without a request, told what became of each object. Until there is somebody
 * to ask, everything is let in; the server listens to nobody else by then.
 */
export class QuotaPlugin implements AdmissionPlugin {
  readonly name = "milo-quota";
  #decide: Decide | undefined;

  ask(decide: Decide): void {
    this.#decide = decide;
  }

  readonly validate = async (request: AdmissionRequest, signal: AbortSignal): Promise<PluginVerdict> => {
    const change = changeOf(request);
    if (change === undefined || this.#decide === undefined) return { allowed: true };
    const verdict = await this.#decide(change, signal);
    if (!verdict.allowed) return verdict;
    const { settled } = verdict;
    return settled === undefined ? { allowed: true } : { allowed: true, settled: ({ stored }) => settled(stored) };
  };
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
