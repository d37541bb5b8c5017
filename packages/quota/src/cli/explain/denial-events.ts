import { eventType } from "@milo-quota/kubernetes/client/events/event-recorder.ts";
import { type AnyObject, anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import { type KubeClient, rootPlane } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import type { PlaneAddress } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import { annotations, labels } from "../../core/resources/well-known.ts";
import { listAll } from "../cluster/object-lists.ts";

/** A denial that outlived its claim: automatic claims that are denied go at once, what happened stays in an Event. */
export interface Denial {
  readonly claim: { readonly namespace: string; readonly name: string };
  /** What the claim was for; undefined for one that was made for nothing in particular. */
  readonly object: DeniedObject | undefined;
  /** As labels of buckets have it. */
  readonly consumer: { readonly kind: string | undefined; readonly name: string | undefined };
  readonly message: string;
  readonly at: string;
  readonly count: number;
}

interface DeniedObject {
  /** The control plane it was to be created in. */
  readonly plane: string;
  readonly apiGroup: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** Denials in a control plane, the latest first; those of the same claim, made again and again, as one. */
export async function denialsIn(
  client: KubeClient,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<readonly Denial[]> {
  const selection = { fieldSelector: "involvedObject.kind=ResourceClaim,reason=QuotaExceeded" };
  const options = namespace === undefined ? selection : { ...selection, namespace };
  const events = await listAll(client.resource(eventType, anyObject), options, signal);
  return together(events.map(denialOf).sort((left, right) => (left.at < right.at ? 1 : -1)));
}

function denialOf(event: AnyObject): Denial {
  const about = (event["involvedObject"] ?? {}) as { namespace?: string; name?: string };
  return {
    claim: { namespace: about.namespace ?? "", name: about.name ?? "" },
    object: objectOf(event.metadata.annotations ?? {}),
    consumer: {
      kind: event.metadata.labels?.[labels.consumerKind],
      name: event.metadata.labels?.[labels.consumerName],
    },
    message: String(event["message"] ?? ""),
    at: String(event["lastTimestamp"] ?? event["eventTime"] ?? ""),
    count: Number(event["count"] ?? 1),
  };
}

function objectOf(noted: Readonly<Record<string, string>>): DeniedObject | undefined {
  const [kind = "", ...group] = (noted[annotations.resourceKind] ?? "").split(".");
  if (kind === "") return undefined;
  return {
    plane: noted[annotations.resourcePlane] ?? rootPlane.plane,
    apiGroup: group.join("."),
    kind,
    namespace: noted[annotations.resourceNamespace] ?? "",
    name: noted[annotations.resourceName] ?? "",
  };
}

function together(denials: readonly Denial[]): readonly Denial[] {
  const latest = new Map<string, Denial>();
  for (const denial of denials) {
    const key = `${denial.claim.namespace}/${denial.claim.name}`;
    const known = latest.get(key);
    latest.set(key, known === undefined ? denial : { ...known, count: known.count + denial.count });
  }
  return [...latest.values()];
}

/** An object as people name it; what is undefined may be anything. */
export interface MeantObject {
  readonly apiGroup: string | undefined;
  readonly kind: string;
  readonly namespace: string | undefined;
  readonly name: string;
  /** Of names that a server makes, what they begin with. */
  readonly namePrefix?: string;
}

export function isOf(meant: MeantObject, object: Omit<DeniedObject, "plane">): boolean {
  const isNamed =
    meant.namePrefix === undefined ? object.name === meant.name : object.name.startsWith(meant.namePrefix);
  return (
    isNamed &&
    object.kind.toLowerCase() === meant.kind.toLowerCase() &&
    (meant.apiGroup === undefined || object.apiGroup === meant.apiGroup) &&
    (meant.namespace === undefined || object.namespace === meant.namespace)
  );
}

/** Whether a denial is of this object, and not of another of its name in another control plane. */
export function isDenialOf(meant: MeantObject, { object }: Denial, { plane }: PlaneAddress): boolean {
  return object !== undefined && object.plane === plane && isOf(meant, object);
}
