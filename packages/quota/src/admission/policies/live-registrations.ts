import type { KubeClient } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import {
  parseResourceRegistration,
  resourceRegistrationDefinition,
} from "../../core/resources/resource-registration.ts";
import type { RegistrationView } from "../../core/resources/rules/registration-rules.ts";

/** Lists the registrations from the API server. Registrations that cannot be parsed are left out. */
export async function readRegistrations(client: KubeClient, signal: AbortSignal): Promise<RegistrationView> {
  const registrations = client.resource(resourceRegistrationDefinition, parseResourceRegistration);
  const { items } = await registrations.rawList({}, signal);
  const readable = items.flatMap(({ object }) => {
    const parsed = parseResourceRegistration(object);
    return parsed.ok ? [parsed.value] : [];
  });
  return { byResourceType: (type) => readable.filter(({ resourceType }) => resourceType === type) };
}
