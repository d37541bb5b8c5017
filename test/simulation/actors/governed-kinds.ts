import type { AdmissionRequest } from "@milo-quota/apiserver/registry/admission/admission-plugin.ts";
import type { ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import { configMaps, webhookConfigurations } from "./clients.ts";
import { bypassLabel } from "./manifests.ts";

const governed: readonly ResourceType[] = [configMaps, webhookConfigurations];

/** The resource type of a request that admission decides about; undefined for all other requests. */
export function governedType(request: AdmissionRequest): ResourceType | undefined {
  const { kind, operation, dryRun } = request;
  if (operation === "DELETE" || dryRun || bypassesAdmission(request)) return undefined;
  return governed.find(({ group, plural }) => group === kind.group && plural === kind.plural);
}

/** Whether the API server stores the object without asking admission. */
export function bypassesAdmission({ object }: AdmissionRequest): boolean {
  return object?.metadata.labels?.[bypassLabel] !== undefined;
}
