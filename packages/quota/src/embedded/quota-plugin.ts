import type {
  AdmissionPlugin,
  AdmissionRequest,
  Verdict as PluginVerdict,
} from "@milo-quota/apiserver/registry/admission/admission-plugin.ts";
import type { Companions } from "@milo-quota/apiserver/registry/admission/companion.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { Decide, DecideRemoval, ObjectChange, ObjectRemoval, Verdict } from "../admission/object-change.ts";

interface Admission {
  readonly decide: Decide;
  readonly decideRemoval: DecideRemoval;
}

/** Admission in the process of the server: called without a request, and told whether each object was stored. */
export function quotaPlugin({ decide, decideRemoval }: Admission, removing: NonNullable<AdmissionPlugin["removing"]>) {
  return {
    name: "milo-quota",
    validate: async (request, signal) => {
      const removal = removalOf(request);
      if (removal !== undefined) return pluginVerdict(await decideRemoval(removal, signal));
      const change = changeOf(request);
      return change === undefined ? { allowed: true } : pluginVerdict(await decide(change, signal));
    },
    removing,
  } satisfies AdmissionPlugin;
}

function pluginVerdict(verdict: Verdict): PluginVerdict {
  if (!verdict.allowed) return verdict;
  const { settled, together } = verdict;
  if (settled === undefined && together === undefined) return { allowed: true };
  return {
    allowed: true,
    settled: (outcome) => settled?.(outcome.stored ? outcome.object.metadata.resourceVersion : undefined),
    companions: together && {
      ...(together.companions as Companions),
      orElse: async (why, signal) => pluginVerdict(await together.orElse(why, signal)),
    },
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
