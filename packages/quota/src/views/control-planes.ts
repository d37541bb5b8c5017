import type { KubeClient } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import type { ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import type { ListerWatcher } from "@milo-quota/kubernetes/client/watch/lister-watcher.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ConsumerRef, GroupKind } from "../core/resources/fields/consumer-ref.ts";

/** An object that may have its own control plane, such as a Project. */
export interface PlaneOwner extends GroupKind {
  readonly name: string;
}

/** Which control plane belongs to which tenant. */
export interface TenantPlanes {
  /** The control plane of an object; undefined if objects of its kind have none. */
  planeOf(owner: PlaneOwner): string | undefined;
  /** The project or organization that an object in a control plane belongs to; undefined without a tenant. */
  tenantOf(plane: string, object: JsonObject): ConsumerRef | undefined;
  /** The possible kinds of that tenant, for objects of this kind and a policy in this control plane. */
  tenantKinds(plane: string, of: GroupKind): readonly GroupKind[];
}

/** Access to all control planes. */
export interface ControlPlanes extends TenantPlanes {
  /** The control plane of registrations, and of policies that apply in all control planes. */
  readonly root: string;
  client(plane: string): KubeClient;
  /** The objects of a kind in all control planes. */
  everywhere(type: ResourceType): ListerWatcher;
  /** The objects of a kind in the root. */
  inRoot(type: ResourceType): ListerWatcher;
  /**
   * The namespace of a consumer's buckets. Must never change for a consumer: with two ledger buckets in different
   * namespaces there would be no compare-and-swap fence.
   */
  bucketNamespace(consumer: ConsumerRef): string;
}

/** The control plane that has a consumer's quota: its own, else that of the object that uses it. */
export function planeOfConsumer(planes: ControlPlanes, consumer: ConsumerRef, objectPlane: string): string {
  return planes.planeOf(consumer) ?? objectPlane;
}

/** The name of a control plane in names and annotations: empty for the root. */
export function planeLabel(planes: ControlPlanes, plane: string): string {
  return plane === planes.root ? "" : plane;
}
