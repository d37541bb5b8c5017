import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import { namespacesType } from "@milo-quota/kubernetes/client/resources/namespaces.ts";
import type { ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";
import type { ObjectMeta } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { parseTime } from "@milo-quota/kubernetes/protocol/time.ts";
import type { NewConsumers } from "../admission/new-consumers.ts";
import type { GroupKind } from "../core/resources/fields/consumer-ref.ts";
import { organizationDefinition } from "../tenancy/resources/organization.ts";
import { projectDefinition } from "../tenancy/resources/project.ts";
import type { ControlPlanes } from "../views/control-planes.ts";

/** Tenants are objects of the root plane, even those that have a control plane of their own. */
const tenantKinds = [organizationDefinition, projectDefinition];

/** New consumers among the kinds that this server serves: organizations, projects and namespaces. */
export function newTenants(
  planes: Pick<ControlPlanes, "client" | "root">,
  clock: Clock,
  hasGrantPolicyFor: NewConsumers["hasGrantPolicyFor"],
): NewConsumers {
  return {
    hasGrantPolicyFor,
    ageMs: async (consumer, plane, signal) => {
      const location = locate(consumer, plane, planes.root);
      if (location === undefined) return undefined;
      const found = await planes
        .client(location.plane)
        .resource(location.type, anyObject)
        .find({ name: consumer.name }, signal);
      const { creationTimestamp, deletionTimestamp } = (found?.["metadata"] ?? {}) as ObjectMeta;
      if (typeof creationTimestamp !== "string" || deletionTimestamp !== undefined) return undefined;
      const createdMs = parseTime(creationTimestamp);
      return createdMs === undefined ? undefined : clock.now() - createdMs;
    },
  };
}

function locate({ apiGroup, kind }: GroupKind, plane: string, root: string) {
  const tenants: ResourceType | undefined = tenantKinds.find(
    (definition) => definition.group === apiGroup && definition.kind === kind,
  );
  if (tenants !== undefined) return { plane: root, type: tenants };
  return apiGroup === "" && kind === "Namespace" ? { plane, type: namespacesType } : undefined;
}
