import { claimName } from "../core/policy/rendered-names.ts";
import { noAmount } from "../core/resources/amount.ts";
import type { ClaimCreationPolicy, RequestTemplate } from "../core/resources/claim-creation-policy.ts";
import { type ConsumerRef, consumerKey } from "../core/resources/consumer-ref.ts";
import { dimensionKey } from "../core/resources/dimensions.ts";
import type { ClaimRequest, ResourceRef } from "../core/resources/resource-claim.ts";
import { type KubeClient, rootPlane } from "../kube/client/kube-client.ts";
import { eventType } from "../kube/events/event-recorder.ts";
import type { JsonObject } from "../protocol/json-value.ts";
import { parseApiVersion } from "../protocol/object-meta.ts";
import { tenantOf } from "./cluster/control-planes.ts";
import { anyObject, listAll } from "./cluster/object-lists.ts";

/** A denial that outlived its claim: automatic claims that are denied go at once, what happened stays in an Event. */
export interface Denial {
  readonly claim: { readonly namespace: string; readonly name: string };
  readonly message: string;
  readonly at: string;
  readonly count: number;
}

/** Denials in a control plane, the latest first. */
export async function denialsIn(
  client: KubeClient,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<readonly Denial[]> {
  const selection = { fieldSelector: "involvedObject.kind=ResourceClaim,reason=QuotaExceeded" };
  const options = namespace === undefined ? selection : { ...selection, namespace };
  const events = await listAll(client.resource(eventType, anyObject), options, signal);
  return events
    .map((event) => {
      const about = (event["involvedObject"] ?? {}) as { namespace?: string; name?: string };
      return {
        claim: { namespace: about.namespace ?? "", name: about.name ?? "" },
        message: String(event["message"] ?? ""),
        at: String(event["lastTimestamp"] ?? event["eventTime"] ?? ""),
        count: Number(event["count"] ?? 1),
      };
    })
    .sort((left, right) => (left.at < right.at ? 1 : -1));
}

/** An object of which only its name is known, and where it was to be created. */
export interface NamedObject {
  readonly object: ResourceRef;
  readonly plane: KubeClient["plane"];
}

/**
 * The ends of the names that claims for an object can have had. They are hashes of everything that makes the claim, so
 * every consumer there is gets a try; a policy whose amounts depend on the object itself tells nothing by a name alone.
 */
export function possibleClaims(
  { object, plane }: NamedObject,
  policies: readonly ClaimCreationPolicy[],
  consumers: readonly ConsumerRef[],
): ReadonlySet<string> {
  const owner = tenantOf(plane, likenessOf(object));
  const unique = new Map(
    [...consumers, ...(owner === undefined ? [] : [owner])].map((each) => [consumerKey(each), each]),
  );
  const ends = policies
    .filter((policy) => isAbout(policy, object))
    .flatMap((policy) => {
      const requests = plainRequests(policy.template.requests);
      if (requests === undefined) return [];
      const { apiGroup: group, kind, namespace, name } = object;
      const inRoot = plane.plane === rootPlane.plane;
      const origin = {
        plane: inRoot ? "" : plane.plane,
        policy: policy.metadata.name ?? "",
        group,
        kind,
        namespace,
        name,
      };
      return [...unique.values()].map((consumer) => endOf(claimName("", origin, consumer, requests)));
    });
  return new Set(ends);
}

/** As much of an object as its name tells: its version means nothing. */
function likenessOf({ apiGroup, kind, namespace, name }: ResourceRef): JsonObject {
  return { apiVersion: apiGroup === "" ? "v1" : `${apiGroup}/v1`, kind, metadata: { namespace, name } };
}

/** The hash, without what people put in front of it. */
export function endOf(name: string): string {
  return name.slice(name.lastIndexOf("-") + 1);
}

function isAbout({ trigger }: ClaimCreationPolicy, { apiGroup, kind }: ResourceRef): boolean {
  return parseApiVersion(trigger.apiVersion).group === apiGroup && trigger.kind === kind;
}

function plainRequests(templates: readonly RequestTemplate[]): readonly ClaimRequest[] | undefined {
  const requests: ClaimRequest[] = [];
  for (const { resourceType, amount, dimensions } of templates) {
    if (amount.kind !== "fixed" || Object.values(dimensions).some((value) => value.includes("{{"))) return undefined;
    if (amount.amount === noAmount) continue;
    requests.push({ resourceType, amount: amount.amount, dimensions, dimensionKey: dimensionKey(dimensions) });
  }
  return requests;
}
