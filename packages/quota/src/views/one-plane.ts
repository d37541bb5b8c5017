import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import { KubeClient, rootPlane } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import type { ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import type { Transport } from "@milo-quota/kubernetes/client/transport/transport.ts";
import { type ObjectSource, sourceOf } from "@milo-quota/kubernetes/client/watch/object-source.ts";
import { bucketNamespace } from "../core/resources/object-names.ts";
import type { ControlPlanes } from "./control-planes.ts";

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
