import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { organizationNamespace, tenantGroup } from "../../core/resources/object-tenant.ts";
import { resourceClaimDefinition } from "../../core/resources/resource-claim.ts";
import { quotaApiVersion, quotaGroup, systemNamespace } from "../../core/resources/well-known.ts";
import { projectOfPlane } from "../../views/tenant-planes.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { organizationOfPlane } from "../cluster/tenant-addresses.ts";
import { type Finding, problem, warning } from "./finding.ts";

const check = "admission";

/**
 * Tries, by a dry run, to create a claim for nothing: its schema allows that, admission never does. So whoever refuses
 * it is admission, and if nobody does, nobody checks anything.
 */
export async function probeAdmission(cluster: Cluster, signal: AbortSignal): Promise<readonly Finding[]> {
  const { namespace, consumer } = placeOf(cluster);
  const probe = {
    apiVersion: quotaApiVersion,
    kind: "ResourceClaim",
    metadata: { name: "milo-quota-doctor", namespace: cluster.namespace ?? namespace },
    spec: {
      consumerRef: consumer,
      requests: [{ resourceType: `${quotaGroup}/doctor`, amount: 0 }],
    },
  };
  const claims = cluster.here.resource(resourceClaimDefinition, anyObject);
  try {
    await claims.create(probe, { dryRun: true }, signal);
  } catch (error) {
    return [{ check, ...verdictOn(error) }];
  }
  const advice =
    "Objects are not checked when they are created. Start the quota system, and see that its webhooks are there.";
  return [{ check, ...problem("nobody checks claims when they are created", advice) }];
}

/** Members may claim for their tenant, in a place of its own; whoever runs a server, for anything anywhere. */
function placeOf({ here }: Cluster) {
  const [organization, project] = [organizationOfPlane(here.plane), projectOfPlane(here.plane.plane)];
  const tenant = (kind: string, name: string) => ({ apiGroup: tenantGroup, kind, name });
  if (organization !== undefined) {
    return { namespace: organizationNamespace(organization), consumer: tenant("Organization", organization) };
  }
  if (project !== undefined) return { namespace: "default", consumer: tenant("Project", project) };
  return { namespace: systemNamespace, consumer: { kind: "Namespace", name: systemNamespace } };
}

function verdictOn(error: unknown): Omit<Finding, "check"> {
  if (!(error instanceof StatusError)) throw error;
  const { code } = error.status;
  if (code === 422) return { state: "ok", message: "claims are checked when they are created" };
  if (code === 403 || code === 401) return warning(`you may not create claims: not tried (${error.message})`);
  if (code === 404) return problem(`a claim cannot be tried: ${error.message}`);
  const advice = "The API server cannot reach the quota system: see that it runs, and that its certificate is right.";
  return problem(`claims cannot be created at all: ${error.message}`, advice);
}
