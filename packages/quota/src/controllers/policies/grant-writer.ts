import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import type { ResourceClient } from "@milo-quota/kubernetes/client/resources/resource-client.ts";
import type { Informer } from "@milo-quota/kubernetes/client/watch/informer.ts";
import type { PlaneObjectKey } from "@milo-quota/kubernetes/client/watch/plane-object-key.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { KubernetesObject, ObjectMeta, OwnerReference } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { type GrantOrigin, isUpToDate, originId, originIn } from "../../core/policy/grant-origin.ts";
import { grantManifest, type RenderedGrant } from "../../core/policy/grant-policy.ts";
import { parseResourceGrant, type ResourceGrant } from "../../core/resources/resource-grant.ts";
import { annotations } from "../../core/resources/well-known.ts";
import type { ControlPlanes } from "../../views/control-planes.ts";
import { grantsType } from "../../views/quota-types.ts";
import { planeOfLabel, type Trigger } from "./rendered-grants.ts";

/** A grant that should exist, with its exact content. */
export interface DesiredGrant {
  readonly origin: GrantOrigin;
  readonly trigger: Trigger;
  readonly key: PlaneObjectKey;
  readonly grant: RenderedGrant;
}

/** Another client created a grant of this name, or it has another origin. The grant engine must not change it. */
export class GrantNameTaken extends Error {
  override readonly name = "GrantNameTaken";

  constructor({ plane, namespace, name }: PlaneObjectKey) {
    super(
      `ResourceGrant "${namespace}/${name}" in control plane "${plane}" already exists and was not created for this object`,
    );
  }
}

/** Creates, updates and deletes grants; never changes one with another origin. */
export class GrantWriter {
  readonly #planes: ControlPlanes;
  readonly #grants: Informer<ResourceGrant, ResourceGrant>;

  constructor(planes: ControlPlanes, grants: Informer<ResourceGrant, ResourceGrant>) {
    this.#planes = planes;
    this.#grants = grants;
  }

  /** Whether the cache shows the desired grant. For an object that is being deleted no grant is created. */
  isDone(desired: DesiredGrant): boolean {
    const cached = this.#grants.get(desired.key);
    return cached === undefined ? desired.trigger.terminating : this.#isUpToDate(cached, desired);
  }

  async write(desired: DesiredGrant, signal: AbortSignal): Promise<void> {
    if (this.#grants.get(desired.key) === undefined && (await this.#create(desired, signal))) return;
    await this.#update(desired, signal);
  }

  /** The UID of the object that a grant was created for; undefined for a grant that is not cached. */
  triggerUid(key: PlaneObjectKey): string | undefined {
    return this.#grants.get(key)?.metadata.annotations?.[annotations.resourceUid];
  }

  /** Whether a cached grant is owned by the object that it was created for. */
  isOwned(key: PlaneObjectKey): boolean {
    const owners = this.#grants.get(key)?.metadata.ownerReferences ?? [];
    return owners.some(({ uid }) => uid === this.triggerUid(key));
  }

  /** Deletes the cached version of a grant; fails if it has changed since. */
  async remove(key: PlaneObjectKey, signal: AbortSignal): Promise<void> {
    const { uid, resourceVersion, deletionTimestamp } = this.#grants.get(key)?.metadata ?? {};
    if (uid === undefined || resourceVersion === undefined || deletionTimestamp !== undefined) return;
    try {
      await this.#client(key).delete(refOf(key), { uid, resourceVersion }, signal);
    } catch (error) {
      if (!(error instanceof StatusError) || error.status.code !== 404) throw error;
    }
  }

  /** Throws if the grant has another origin. One that is being deleted is left alone; its deletion triggers a reconcile. */
  #isUpToDate(stored: ResourceGrant, { origin, key, grant }: DesiredGrant): boolean {
    const storedOrigin = originIn(stored.metadata);
    if (storedOrigin === undefined || originId(storedOrigin) !== originId(origin)) throw new GrantNameTaken(key);
    return stored.metadata.deletionTimestamp !== undefined || isUpToDate(stored, grant);
  }

  /** Returns false if a grant of this name already exists. */
  async #create({ key, grant, origin, trigger }: DesiredGrant, signal: AbortSignal): Promise<boolean> {
    const manifest = grantManifest(grant);
    const owners = ownerReferences(origin, trigger, key, this.#planes);
    const metadata = {
      ...(manifest["metadata"] as ObjectMeta),
      ...(owners.length === 0 ? {} : { ownerReferences: owners }),
    };
    try {
      await this.#client(key).create({ ...manifest, metadata } as unknown as KubernetesObject, {}, signal);
      return true;
    } catch (error) {
      if (error instanceof StatusError && error.status.reason === "AlreadyExists") return false;
      throw error;
    }
  }

  /** Updates the stored grant, not the cached one; keeps metadata that other clients added. */
  async #update(desired: DesiredGrant, signal: AbortSignal): Promise<void> {
    const client = this.#client(desired.key);
    const stored = await client.get(refOf(desired.key), signal);
    const parsed = parseResourceGrant(stored);
    // A grant of ours that cannot be parsed is overwritten.
    const metadata = stored["metadata"] as ObjectMeta;
    if (this.#isUpToDate(parsed.ok ? parsed.value : emptyGrant(metadata), desired)) return;
    await client.update(updatedGrant(stored, desired, this.#planes), {}, signal);
  }

  #client({ plane }: PlaneObjectKey): ResourceClient<JsonObject> {
    return this.#planes.client(plane).resource(grantsType, anyObject);
  }
}

function emptyGrant(metadata: ObjectMeta): ResourceGrant {
  const consumer = { apiGroup: "", kind: "", namespace: "", name: "" };
  return { metadata, consumer, allowances: [], expiresAt: undefined, status: {} };
}

function updatedGrant(
  stored: JsonObject,
  { origin, trigger, key, grant }: DesiredGrant,
  planes: ControlPlanes,
): KubernetesObject {
  const metadata = stored["metadata"] as ObjectMeta;
  const formerUid = metadata.annotations?.[annotations.resourceUid];
  const others = (metadata.ownerReferences ?? []).filter(({ uid }) => uid !== formerUid && uid !== trigger.uid);
  return {
    ...stored,
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, ...grant.labels },
      annotations: { ...metadata.annotations, ...grant.annotations },
      ownerReferences: [...others, ...ownerReferences(origin, trigger, key, planes)],
    },
    spec: grantManifest(grant)["spec"],
  } as unknown as KubernetesObject;
}

/** Only within a control plane and namespace: otherwise the garbage collector would consider the owner absent. */
function ownerReferences(
  { kind, plane, namespace, name }: GrantOrigin,
  { uid, apiVersion }: Trigger,
  grantKey: PlaneObjectKey,
  planes: ControlPlanes,
): readonly OwnerReference[] {
  const isSamePlane = grantKey.plane === planeOfLabel(plane, planes);
  if (!isSamePlane || (namespace !== "" && namespace !== grantKey.namespace)) return [];
  return [{ apiVersion, kind: kind.kind, name, uid, controller: true, blockOwnerDeletion: false }];
}

function refOf({ namespace, name }: PlaneObjectKey): { readonly namespace: string; readonly name: string } {
  return { namespace, name };
}
