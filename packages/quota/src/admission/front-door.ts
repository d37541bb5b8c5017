import { serviceUnavailable } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { quotaGroup } from "../core/resources/well-known.ts";
import type { Decide } from "./object-change.ts";

export interface FrontDoorOptions {
  /** For objects of the quota API itself. */
  readonly own: { readonly decide: Decide };
  /** For all others. */
  readonly quota: { readonly decide: Decide };
  readonly report: (where: string, error: unknown) => void;
}

/** Everybody who has a say, in one. Nobody is let in by a mistake of ours. */
export function frontDoor({ own, quota, report }: FrontDoorOptions): Decide {
  return async (change, signal) => {
    try {
      return await (change.kind.group === quotaGroup ? own : quota).decide(change, signal);
    } catch (error) {
      report(`admission of ${change.kind.kind} ${change.name}`, error);
      const because = error instanceof Error ? error.message : String(error);
      return { allowed: false, status: serviceUnavailable(`quota could not be decided: ${because}; try again`, 1) };
    }
  };
}
