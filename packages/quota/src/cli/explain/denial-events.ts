import { eventType } from "@milo-quota/kubernetes/client/events/event-recorder.ts";
import { type AnyObject, anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import { type KubeClient, rootPlane } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import type { PlaneAddress } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import { annotations, labels } from "../../core/resources/well-known.ts";
import { listAll } from "../cluster/list-all.ts";

/** A denial that an Event records: the denied claim of a policy is deleted immediately. */
export interface Denial {
  readonly claim: { readonly namespace: string; readonly name: string };
  /** The object that the claim was for; undefined for a manually created claim. */
  readonly object: DeniedObject | undefined;
  /** From the labels of the Event, which match those of buckets. */
  readonly consumer: { readonly kind: string | undefined; readonly name: string | undefined };
  readonly message: string;
  readonly at: string;
  readonly count: number;
}

interface DeniedObject {
  /** The control plane of the request. */
  readonly plane: string;
  readonly apiGroup: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** Reads the denials in a control plane, latest first. Repeated denials of the same claim are merged. */
export async function denialsIn(
  client: KubeClient,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<readonly Denial[]> {
  const selection = { fieldSelector: "involvedObject.kind=ResourceClaim,reason=QuotaExceeded" };
  const options = namespace === undefined ? selection : { ...selection, namespace };
  const events = await listAll(client.resource(eventType, anyObject), options, signal);
  return mergeByClaim(events.map(denialOf).sort((left, right) => (left.at < right.at ? 1 : -1)));
}

function denialOf(event: AnyObject): Denial {
  const claim = (event["involvedObject"] ?? {}) as { namespace?: string; name?: string };
  return {
    claim: { namespace: claim.namespace ?? "", name: claim.name ?? "" },
    object: deniedObject(event.metadata.annotations ?? {}),
    consumer: {
      kind: event.metadata.labels?.[labels.consumerKind],
      name: event.metadata.labels?.[labels.consumerName],
    },
    message: String(event["message"] ?? ""),
    at: String(event["lastTimestamp"] ?? event["eventTime"] ?? ""),
    count: Number(event["count"] ?? 1),
  };
}

function deniedObject(eventAnnotations: Readonly<Record<string, string>>): DeniedObject | undefined {
  const [kind = "", ...group] = (eventAnnotations[annotations.resourceKind] ?? "").split(".");
  if (kind === "") return undefined;
  return {
    plane: eventAnnotations[annotations.resourcePlane] ?? rootPlane.plane,
    apiGroup: group.join("."),
    kind,
    namespace: eventAnnotations[annotations.resourceNamespace] ?? "",
    name: eventAnnotations[annotations.resourceName] ?? "",
  };
}

function mergeByClaim(denials: readonly Denial[]): readonly Denial[] {
  const merged = new Map<string, Denial>();
  for (const denial of denials) {
    const key = `${denial.claim.namespace}/${denial.claim.name}`;
    const latest = merged.get(key);
    merged.set(key, latest === undefined ? denial : { ...latest, count: latest.count + denial.count });
  }
  return [...merged.values()];
}

/** Selects an object; undefined fields match anything. */
export interface ObjectSelector {
  readonly apiGroup: string | undefined;
  readonly kind: string;
  readonly namespace: string | undefined;
  readonly name: string;
  /** The generateName, if the server generates the name. */
  readonly namePrefix?: string;
}

export function matchesObject(selector: ObjectSelector, object: Omit<DeniedObject, "plane">): boolean {
  const isNamed =
    selector.namePrefix === undefined ? object.name === selector.name : object.name.startsWith(selector.namePrefix);
  return (
    isNamed &&
    object.kind.toLowerCase() === selector.kind.toLowerCase() &&
    (selector.apiGroup === undefined || object.apiGroup === selector.apiGroup) &&
    (selector.namespace === undefined || object.namespace === selector.namespace)
  );
}

/** Whether a denial is for this object, and not for one of the same name in another control plane. */
export function isDenialFor(selector: ObjectSelector, { object }: Denial, { plane }: PlaneAddress): boolean {
  return object !== undefined && object.plane === plane && matchesObject(selector, object);
}
