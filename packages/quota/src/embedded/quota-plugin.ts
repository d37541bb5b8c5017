import type { AdmissionPlugin, Verdict } from "@milo-quota/apiserver/registry/admission/admission-plugin.ts";
import { type Decide, type DecideRemoval, isObjectChange, isObjectRemoval } from "../admission/object-change.ts";

interface Admission {
  readonly decide: Decide;
  readonly decideRemoval: DecideRemoval;
}

/** Admission in the process of the server: called without a request, and told whether each object was stored. */
export function quotaPlugin({ decide, decideRemoval }: Admission, removing: NonNullable<AdmissionPlugin["removing"]>) {
  return {
    name: "milo-quota",
    // Admission passes on companions without looking at them: they are those of this server.
    validate: async (request, signal): Promise<Verdict> => {
      if (isObjectRemoval(request)) return decideRemoval(request, signal) as Promise<Verdict>;
      // What is written to a subresource may be of another kind.
      if (!isObjectChange(request) || request.object.kind !== request.kind.kind) return { allowed: true };
      return decide(request, signal) as Promise<Verdict>;
    },
    removing,
  } satisfies AdmissionPlugin;
}
