import { serviceUnavailable } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { quotaGroup } from "../core/resources/well-known.ts";
import type { Decide } from "./object-change.ts";

export interface RouteOptions {
  /** Decides changes of objects of the quota API. */
  readonly quotaKinds: { readonly decide: Decide };
  /** Decides changes of all other objects. */
  readonly quota: { readonly decide: Decide };
  readonly report: (where: string, error: unknown) => void;
}

/** Routes a change by its API group. An unexpected error rejects the request: admission fails closed. */
export function routeAdmission({ quotaKinds, quota, report }: RouteOptions): Decide {
  return async (change, signal) => {
    try {
      return await (change.kind.group === quotaGroup ? quotaKinds : quota).decide(change, signal);
    } catch (error) {
      report(`admission of ${change.kind.kind} ${change.name}`, error);
      const because = error instanceof Error ? error.message : String(error);
      return { allowed: false, status: serviceUnavailable(`quota could not be decided: ${because}; try again`, 1) };
    }
  };
}
