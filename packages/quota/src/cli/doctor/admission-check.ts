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
 * Creates, as a dry run, a claim for an amount of 0. The schema allows it and admission always rejects it, so the
 * request succeeds only if admission is not called.
 */
export async function checkAdmission(cluster: Cluster, signal: AbortSignal): Promise<readonly Finding[]> {
  const { namespace, consumer } = probeConsumer(cluster);
  const probe = {
    apiVersion: quotaApiVersion,
    kind: "ResourceClaim",
    metadata: { name: "milo-quota-doctor", namespace },
    spec: {
      consumerRef: consumer,
      requests: [{ resourceType: `${quotaGroup}/doctor`, amount: 0 }],
    },
  };
  const claims = cluster.target.resource(resourceClaimDefinition, anyObject);
  try {
    await claims.create(probe, { dryRun: true }, signal);
  } catch (error) {
    return [{ check, ...verdictOn(error) }];
  }
  const advice =
    "Requests are not checked against quota. Check that the quota system runs and its webhooks are installed.";
  return [{ check, ...problem("claims are not validated when they are created", advice) }];
}

/** Members may create claims only for their own tenant and in its namespace; administrators for any consumer. */
function probeConsumer({ target }: Cluster) {
  const [organization, project] = [organizationOfPlane(target.plane), projectOfPlane(target.plane.plane)];
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
  if (code === 422) return { state: "ok", message: "claims are validated when they are created" };
  if (code === 403 || code === 401) {
    return warning(`you lack permission to create claims: not checked (${error.message})`);
  }
  if (code === 404) return problem(`the dry run of a claim failed: ${error.message}`);
  const advice = "The API server cannot call the quota system: check that it runs and that its certificate is valid.";
  return problem(`claims cannot be created: ${error.message}`, advice);
}
