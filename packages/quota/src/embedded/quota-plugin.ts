import type { AdmissionPlugin, Verdict } from "@milo-quota/apiserver/registry/admission/admission-plugin.ts";
import { type Decide, type DecideRemoval, isObjectChange, isObjectRemoval } from "../admission/object-change.ts";

interface Admission {
  readonly decide: Decide;
  readonly decideRemoval: DecideRemoval;
}

/** Runs admission as a plug-in of the API server in the same process. */
export function quotaPlugin(
  { decide, decideRemoval }: Admission,
  companionsOfRemoval: NonNullable<AdmissionPlugin["companionsOfRemoval"]>,
) {
  return {
    name: "milo-quota",
    // Admission treats companions as opaque. They come from QuotaTransactions, which knows the types of this server.
    validate: async (request, signal): Promise<Verdict> => {
      if (isObjectRemoval(request)) return decideRemoval(request, signal) as Promise<Verdict>;
      // A subresource may have objects of another kind, such as Scale.
      if (!isObjectChange(request) || request.object.kind !== request.kind.kind) return { allowed: true };
      return decide(request, signal) as Promise<Verdict>;
    },
    companionsOfRemoval,
  } satisfies AdmissionPlugin;
}
