import { bucketNamespace } from "../core/resources/object-names.ts";
import { KubeClient, rootPlane } from "../kube/client/kube-client.ts";
import type { ResourceType } from "../kube/client/resource-type.ts";
import type { Transport } from "../kube/transport/transport.ts";
import { type ObjectSource, sourceOf } from "../kube/watch/object-source.ts";
import type { ControlPlanes } from "./control-planes.ts";
import { anyObject } from "./quota-types.ts";

/** A cluster of plain Kubernetes: it is the root, and there is no other plane. */
export function onePlane(transport: Transport): ControlPlanes {
  const client = new KubeClient(transport, rootPlane);
  const source = (type: ResourceType): ObjectSource => sourceOf(client.resource(type, anyObject), transport);
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
