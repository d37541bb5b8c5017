import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import { KubeClient, rootPlane } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import type { PlaneAddress, ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import type { Transport } from "@milo-quota/kubernetes/client/transport/transport.ts";
import { listerWatcherFor } from "@milo-quota/kubernetes/client/watch/lister-watcher.ts";
import { bucketNamespace } from "../core/resources/object-names.ts";
import type { ControlPlanes, TenantPlanes } from "./control-planes.ts";

/** The names, addresses and tenants of the control planes of a server. */
export interface PlaneLayout extends TenantPlanes {
  addressOf(plane: string): PlaneAddress;
  /** Whether every organization has a namespace organization-<name>. */
  readonly hasOrganizationNamespaces: boolean;
}

/** All control planes of the embedded server, which can list and watch them together. */
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
    everywhere: (type: ResourceType) =>
      listerWatcherFor(root.resource(type, anyObject), transport, { reach: "all-planes" }),
    inRoot: (type: ResourceType) => listerWatcherFor(root.resource(type, anyObject), transport),
    planeOf: (owner) => layout.planeOf(owner),
    tenantOf: (plane, object) => layout.tenantOf(plane, object),
    tenantKinds: (plane, of) => layout.tenantKinds(plane, of),
    bucketNamespace: (consumer) => bucketNamespace(consumer, () => layout.hasOrganizationNamespaces),
  };
}
