import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import { KubeClient, rootPlane } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import type { ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import type { Transport } from "@milo-quota/kubernetes/client/transport/transport.ts";
import { type ListerWatcher, listerWatcherFor } from "@milo-quota/kubernetes/client/watch/lister-watcher.ts";
import { bucketNamespace } from "../core/resources/object-names.ts";
import type { ControlPlanes } from "./control-planes.ts";

/** A Kubernetes cluster without tenants: the root is the only control plane. */
export function onePlane(transport: Transport): ControlPlanes {
  const client = new KubeClient(transport, rootPlane);
  const source = (type: ResourceType): ListerWatcher => listerWatcherFor(client.resource(type, anyObject), transport);
  return {
    root: rootPlane.plane,
    client: () => client,
    everywhere: source,
    inRoot: source,
    planeOf: () => undefined,
    tenantOf: () => undefined,
    tenantKinds: () => [],
    bucketNamespace: (consumer) => bucketNamespace(consumer, () => false),
  };
}
