import type { KubeClient } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import {
  parseResourceRegistration,
  resourceRegistrationDefinition,
} from "../../core/resources/resource-registration.ts";
import type { RegistrationView } from "../../core/resources/rules/registration-rules.ts";

/** All registrations, as the server has them right now; one that cannot be read is as good as none. */
export async function readRegistrations(client: KubeClient, signal: AbortSignal): Promise<RegistrationView> {
  const registrations = client.resource(resourceRegistrationDefinition, parseResourceRegistration);
  const { items } = await registrations.rawList({}, signal);
  const readable = items.flatMap(({ object }) => {
    const parsed = parseResourceRegistration(object);
    return parsed.ok ? [parsed.value] : [];
  });
  return { byResourceType: (type) => readable.filter(({ resourceType }) => resourceType === type) };
}
