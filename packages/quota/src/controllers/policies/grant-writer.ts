import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import type { ResourceClient } from "@milo-quota/kubernetes/client/resources/resource-client.ts";
import type { Informer } from "@milo-quota/kubernetes/client/watch/informer.ts";
import type { ObjectPlace } from "@milo-quota/kubernetes/client/watch/object-place.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { KubernetesObject, ObjectMeta, OwnerReference } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { type GrantOrigin, isUpToDate, originId, originIn } from "../../core/policy/grant-origin.ts";
import { grantManifest, type RenderedGrant } from "../../core/policy/grant-policy.ts";
import { parseResourceGrant, type ResourceGrant } from "../../core/resources/resource-grant.ts";
import { annotations } from "../../core/resources/well-known.ts";
import type { ControlPlanes } from "../../views/control-planes.ts";
import { grantsType } from "../../views/quota-types.ts";
import { planeOfLabel, type Trigger } from "./grant-wishes.ts";

/** A grant that should be there, exactly as it should be. */
export interface WantedGrant {
  readonly origin: GrantOrigin;
  readonly trigger: Trigger;
  readonly place: ObjectPlace;
  readonly grant: RenderedGrant;
}

/** There is a grant of that name that was made by somebody else, or for something else. It is not ours to change. */
export class GrantNameTaken extends Error {
  override readonly name = "GrantNameTaken";

  constructor({ plane, namespace, name }: ObjectPlace) {
    super(
      `ResourceGrant "${namespace}/${name}" in control plane "${plane}" is there already, and was not made for this`,
    );
  }
}

/** Makes grants, brings them up to date and takes them away; never one that was not made for the same. */
export class GrantWriter {
  readonly #planes: ControlPlanes;
  readonly #grants: Informer<ResourceGrant, ResourceGrant>;

  constructor(planes: ControlPlanes, grants: Informer<ResourceGrant, ResourceGrant>) {
    this.#planes = planes;
    this.#grants = grants;
  }

  /** Whether there is nothing to write. For an object that is on its way out nothing new is made. */
  isDone(wanted: WantedGrant): boolean {
    const known = this.#grants.get(wanted.place);
    return known === undefined ? wanted.trigger.terminating : this.#isRight(known, wanted);
  }

  async write(wanted: WantedGrant, signal: AbortSignal): Promise<void> {
    if (this.#grants.get(wanted.place) === undefined && (await this.#create(wanted, signal))) return;
    await this.#update(wanted, signal);
  }

  /** The very grant that was seen, in the state that it was seen in. */
  async remove(place: ObjectPlace, signal: AbortSignal): Promise<void> {
    const { uid, resourceVersion, deletionTimestamp } = this.#grants.get(place)?.metadata ?? {};
    if (uid === undefined || resourceVersion === undefined || deletionTimestamp !== undefined) return;
    try {
      await this.#client(place).delete(refOf(place), { uid, resourceVersion }, signal);
    } catch (error) {
      if (!(error instanceof StatusError) || error.status.code !== 404) throw error;
    }
  }

  /** Throws if it is somebody else's. One that is going is left alone; when it has gone, that is heard of. */
  #isRight(stored: ResourceGrant, { origin, place, grant }: WantedGrant): boolean {
    const made = originIn(stored.metadata);
    if (made === undefined || originId(made) !== originId(origin)) throw new GrantNameTaken(place);
    return stored.metadata.deletionTimestamp !== undefined || isUpToDate(stored, grant);
  }

  /** Whether there was none. */
  async #create({ place, grant, origin, trigger }: WantedGrant, signal: AbortSignal): Promise<boolean> {
    const manifest = grantManifest(grant);
    const owners = ownerReferences(origin, trigger, place, this.#planes);
    const metadata = {
      ...(manifest["metadata"] as ObjectMeta),
      ...(owners.length === 0 ? {} : { ownerReferences: owners }),
    };
    try {
      await this.#client(place).create({ ...manifest, metadata } as unknown as KubernetesObject, {}, signal);
      return true;
    } catch (error) {
      if (error instanceof StatusError && error.status.reason === "AlreadyExists") return false;
      throw error;
    }
  }

  /** Changes what is stored now, and not what was heard of it; what people and others added to it stays. */
  async #update(wanted: WantedGrant, signal: AbortSignal): Promise<void> {
    const client = this.#client(wanted.place);
    const stored = await client.get(refOf(wanted.place), signal);
    const parsed = parseResourceGrant(stored);
    // One that cannot be read is put in order, too, if it is ours.
    const metadata = stored["metadata"] as ObjectMeta;
    if (this.#isRight(parsed.ok ? parsed.value : unreadable(metadata), wanted)) return;
    await client.update(changed(stored, wanted, this.#planes), {}, signal);
  }

  #client({ plane }: ObjectPlace): ResourceClient<JsonObject> {
    return this.#planes.client(plane).resource(grantsType, anyObject);
  }
}

function unreadable(metadata: ObjectMeta): ResourceGrant {
  const consumer = { apiGroup: "", kind: "", namespace: "", name: "" };
  return { metadata, consumer, allowances: [], expiresAt: undefined, status: {} };
}

function changed(
  stored: JsonObject,
  { origin, trigger, place, grant }: WantedGrant,
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
      ownerReferences: [...others, ...ownerReferences(origin, trigger, place, planes)],
    },
    spec: grantManifest(grant)["spec"],
  } as unknown as KubernetesObject;
}

/** Where Kubernetes allows one: across planes and namespaces its garbage collector would take the owner for gone. */
function ownerReferences(
  { kind, plane, namespace, name }: GrantOrigin,
  { uid, apiVersion }: Trigger,
  place: ObjectPlace,
  planes: ControlPlanes,
): readonly OwnerReference[] {
  const isNear = place.plane === planeOfLabel(plane, planes) && (namespace === "" || namespace === place.namespace);
  if (!isNear) return [];
  return [{ apiVersion, kind: kind.kind, name, uid, controller: true, blockOwnerDeletion: false }];
}

function refOf({ namespace, name }: ObjectPlace): { readonly namespace: string; readonly name: string } {
  return { namespace, name };
}
