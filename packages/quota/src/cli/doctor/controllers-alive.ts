import { leaseType } from "@milo-quota/kubernetes/client/lease/lease-object.ts";
import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { parseTime } from "@milo-quota/kubernetes/protocol/time.ts";
import { systemNamespace } from "../../core/resources/well-known.ts";
import type { Cluster } from "../cluster/cluster.ts";
import type { CountedObjects } from "../recount/consumer-books.ts";
import { type Finding, problem, warning } from "./finding.ts";

const check = "controllers";
const leaseName = "milo-quota-controllers";

/** By the lease of whoever leads; a server with quota in its own process needs none, and shows by what it has written. */
export async function examineControllers(
  cluster: Cluster,
  { pages }: Pick<CountedObjects, "pages">,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const leases = cluster.home.resource(leaseType, anyObject);
  try {
    const lease = await leases.find({ namespace: systemNamespace, name: leaseName }, signal);
    const verdict =
      lease === undefined ? withoutLease(pages) : byLease(lease["spec"] as LeaseSpec, cluster.clock.now());
    return [{ check, ...verdict }];
  } catch (error) {
    if (!(error instanceof StatusError) || error.status.code !== 403) throw error;
    return [{ check, ...warning("you may not read leases: not looked at") }];
  }
}

interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly renewTime?: string;
}

function byLease(spec: LeaseSpec | undefined, nowMs: number): Omit<Finding, "check"> {
  const { holderIdentity = "", leaseDurationSeconds = 15, renewTime = "" } = spec ?? {};
  const agoMs = nowMs - (parseTime(renewTime) ?? 0);
  const advice = "Start the quota system, and read its log.";
  if (holderIdentity === "") return problem("nobody leads: the lease was given back", advice);
  // Clocks of machines differ: a lease is taken for dead a good while after it has ended.
  if (agoMs > leaseDurationSeconds * 2_000) {
    return problem(`${holderIdentity} leads, but gave no sign of life since ${renewTime}`, advice);
  }
  return { state: "ok", message: `${holderIdentity} leads; last sign of life at ${renewTime}` };
}

function withoutLease(pages: CountedObjects["pages"]): Omit<Finding, "check"> {
  const times = pages.flatMap(({ status }) => status?.lastReconciliation ?? []).sort();
  const last = times.at(-1);
  const seen = last === undefined ? "nothing was counted yet" : `figures last changed at ${last}`;
  return { state: "ok", message: `they run in the process of the server, and need no lease; ${seen}` };
}
