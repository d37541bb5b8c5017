import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import { namespacesType } from "@milo-quota/kubernetes/client/resources/namespaces.ts";
import type { ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";
import type { ObjectMeta } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { parseTime } from "@milo-quota/kubernetes/protocol/time.ts";
import type { Newcomers } from "../admission/newcomers.ts";
import type { GroupKind } from "../core/resources/fields/consumer-ref.ts";
import { organizationDefinition } from "../tenancy/resources/organization.ts";
import { projectDefinition } from "../tenancy/resources/project.ts";
import type { ControlPlanes } from "../views/control-planes.ts";

/** Tenants are all in the root, whatever plane is theirs. */
const tenantKinds = [organizationDefinition, projectDefinition];

/** When consumers were made that this server keeps: organizations, projects, and namespaces. */
export function newcomersOf(
  planes: Pick<ControlPlanes, "client" | "root">,
  clock: Clock,
  areGranted: Newcomers["areGranted"],
): Newcomers {
  return {
    areGranted,
    ageMs: async (consumer, plane, signal) => {
      const place = placeOf(consumer, plane, planes.root);
      if (place === undefined) return undefined;
      const found = await planes
        .client(place.plane)
        .resource(place.type, anyObject)
        .find({ name: consumer.name }, signal);
      const { creationTimestamp, deletionTimestamp } = (found?.["metadata"] ?? {}) as ObjectMeta;
      if (typeof creationTimestamp !== "string" || deletionTimestamp !== undefined) return undefined;
      const madeMs = parseTime(creationTimestamp);
      return madeMs === undefined ? undefined : clock.now() - madeMs;
    },
  };
}

function placeOf({ apiGroup, kind }: GroupKind, plane: string, root: string) {
  const tenants: ResourceType | undefined = tenantKinds.find(
    (definition) => definition.group === apiGroup && definition.kind === kind,
  );
  if (tenants !== undefined) return { plane: root, type: tenants };
  return apiGroup === "" && kind === "Namespace" ? { plane, type: namespacesType } : undefined;
}
