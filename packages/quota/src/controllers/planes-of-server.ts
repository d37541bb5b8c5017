import { KubeClient, rootPlane } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import type { PlaneAddress, ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import type { Transport } from "@milo-quota/kubernetes/client/transport/transport.ts";
import { sourceOf } from "@milo-quota/kubernetes/client/watch/object-source.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ConsumerRef, GroupKind } from "../core/resources/fields/consumer-ref.ts";
import { bucketNamespace } from "../core/resources/object-names.ts";
import type { ControlPlanes, PlaneOwner } from "./control-planes.ts";
import { anyObject } from "./quota-types.ts";

/** How the planes of a server are called, and whose they are. */
export interface PlaneLayout {
  addressOf(plane: string): PlaneAddress;
  planeOf(owner: PlaneOwner): string | undefined;
  tenantOf(plane: string, object: JsonObject): ConsumerRef | undefined;
  tenantKinds(plane: string, of: GroupKind): readonly GroupKind[];
  /** Whether every organization has a namespace of its own, called organization-<name>. */
  readonly hasOrganizationNamespaces: boolean;
}

/** All planes of a server in this process, which shows them at once. */
export function planesOfServer(transport: Transport, layout: PlaneLayout): ControlPlanes {
  const root = new KubeClient(transport, rootPlane);
  const clients = new Map<string, KubeClient>([[rootPlane.plane, root]]);
  return {
    root: rootPlane.plane,
    client: (plane) => {
      const client = clients.get(plane) ?? root.inPlane(layout.addressOf(plane));
      clients.set(plane, client);
      return client;
    },
    everywhere: (type: ResourceType) => sourceOf(root.resource(type, anyObject), transport, { reach: "all-planes" }),
    inRoot: (type: ResourceType) => sourceOf(root.resource(type, anyObject), transport),
    planeOf: (owner) => layout.planeOf(owner),
    tenantOf: (plane, object) => layout.tenantOf(plane, object),
    tenantKinds: (plane, of) => layout.tenantKinds(plane, of),
    bucketNamespace: (consumer) => bucketNamespace(consumer, () => layout.hasOrganizationNamespaces),
  };
}
