import type { KubeClient } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import type { ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import type { ObjectSource } from "@milo-quota/kubernetes/client/watch/object-source.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ConsumerRef, GroupKind } from "../core/resources/fields/consumer-ref.ts";

/** An object that may have a control plane of its own, such as a Project. */
export interface PlaneOwner extends GroupKind {
  readonly name: string;
}

/** Which control plane belongs to which tenant. */
export interface TenantPlanes {
  /** The plane that belongs to an object; undefined when objects of its kind have none. */
  planeOf(owner: PlaneOwner): string | undefined;
  /** The project or organization that an object in a plane belongs to; undefined for one that belongs to no tenant. */
  tenantOf(plane: string, object: JsonObject): ConsumerRef | undefined;
  /** Of which kinds those can be, for objects of a kind that a policy in a plane is about. */
  tenantKinds(plane: string, of: GroupKind): readonly GroupKind[];
}

/** The control planes there are, and how to reach them. */
export interface ControlPlanes extends TenantPlanes {
  /** Where registrations are, and policies that hold everywhere. */
  readonly root: string;
  client(plane: string): KubeClient;
  /** The objects of a kind in all planes at once. */
  everywhere(type: ResourceType): ObjectSource;
  /** The objects of a kind in the root. */
  inRoot(type: ResourceType): ObjectSource;
  /**
   * Where the buckets of a consumer are. Never another place for the same consumer, whatever comes or goes: two pages
   * would be no fence.
   */
  bucketNamespace(consumer: ConsumerRef): string;
}

/** The plane in which a consumer's quota is kept: its own, else the one of the object that uses it. */
export function planeOfConsumer(planes: ControlPlanes, consumer: ConsumerRef, objectPlane: string): string {
  return planes.planeOf(consumer) ?? objectPlane;
}

/** How names and annotations call a plane: nothing at all, for the root. */
export function planeLabel(planes: ControlPlanes, plane: string): string {
  return plane === planes.root ? "" : plane;
}
