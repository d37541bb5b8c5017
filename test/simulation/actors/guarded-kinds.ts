import type { AdmissionRequest } from "@milo-quota/apiserver/registry/admission/admission-plugin.ts";
import type { ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import { configMaps, webhookConfigurations } from "./clients.ts";
import { bypassLabel } from "./manifests.ts";

const guarded: readonly ResourceType[] = [configMaps, webhookConfigurations];

/** The type of what would be stored, if doors are asked about it. */
export function guardedType(request: AdmissionRequest): ResourceType | undefined {
  const { kind, operation, dryRun } = request;
  if (operation === "DELETE" || dryRun || isBypassing(request)) return undefined;
  return guarded.find(({ group, plural }) => group === kind.group && plural === kind.plural);
}

/** Whether it is an object that nobody asks the door about. */
export function isBypassing({ object }: AdmissionRequest): boolean {
  return object?.metadata.labels?.[bypassLabel] !== undefined;
}
