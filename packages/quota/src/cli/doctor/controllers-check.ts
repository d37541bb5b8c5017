import { leaseType } from "@milo-quota/kubernetes/client/lease/lease-object.ts";
import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { parseTime } from "@milo-quota/kubernetes/protocol/time.ts";
import { systemNamespace } from "../../core/resources/well-known.ts";
import type { Cluster } from "../cluster/cluster.ts";
import type { LedgerObjects } from "../recount/recounted-consumers.ts";
import { type Finding, problem, warning } from "./finding.ts";

const check = "controllers";
const leaseName = "milo-quota-controllers";

/** Checks the lease of the leader. Controllers in the API server's process need no lease. */
export async function checkControllers(
  cluster: Cluster,
  { ledgerBuckets }: Pick<LedgerObjects, "ledgerBuckets">,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const leases = cluster.root.resource(leaseType, anyObject);
  try {
    const lease = await leases.find({ namespace: systemNamespace, name: leaseName }, signal);
    const verdict =
      lease === undefined ? withoutLease(ledgerBuckets) : byLease(lease["spec"] as LeaseSpec, cluster.clock.now());
    return [{ check, ...verdict }];
  } catch (error) {
    if (!(error instanceof StatusError) || error.status.code !== 403) throw error;
    return [{ check, ...warning("you lack permission to read leases: not checked") }];
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
  const advice = "Start the quota system, and check its log.";
  if (holderIdentity === "") return problem("there is no leader: the lease was released", advice);
  // Twice the duration, because the clocks of machines differ.
  if (agoMs > leaseDurationSeconds * 2_000) {
    return problem(`leader ${holderIdentity} has not renewed its lease since ${renewTime}`, advice);
  }
  return { state: "ok", message: `leader ${holderIdentity} renewed its lease at ${renewTime}` };
}

function withoutLease(ledgerBuckets: LedgerObjects["ledgerBuckets"]): Omit<Finding, "check"> {
  const times = ledgerBuckets.flatMap(({ status }) => status?.lastReconciliation ?? []).sort();
  const last = times.at(-1);
  const activity = last === undefined ? "no bucket was written yet" : `buckets last written at ${last}`;
  return { state: "ok", message: `run in the process of the API server, without a lease; ${activity}` };
}
