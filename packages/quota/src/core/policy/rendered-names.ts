import { type ConsumerRef, consumerKey } from "../resources/fields/consumer-ref.ts";
import { dimensionKey } from "../resources/fields/dimensions.ts";
import { readableName } from "../resources/object-names.ts";
import type { ClaimRequest } from "../resources/resource-claim.ts";
import { stableHash } from "../resources/stable-hash.ts";

const nameHashLength = 20;

/** The object that a claim or a grant is made for. */
export interface Origin {
  /** Name of the control plane the object is in; empty for the root. */
  readonly plane: string;
  readonly policy: string;
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/**
 * The name of a claim that its template leaves to us: the same for every retry of the same create, another for anything
 * else. The version of the object is not in it, because the same object can be written in several.
 */
export function claimName(
  prefix: string,
  origin: Origin,
  consumer: ConsumerRef,
  requests: readonly ClaimRequest[],
): string {
  const asked = requests
    .map(({ resourceType, dimensions, amount }) => `${resourceType} ${dimensionKey(dimensions)} ${amount}`)
    .sort();
  return readableName([prefix], stableHash([...originParts(origin), consumerKey(consumer), ...asked], nameHashLength));
}

/** The name of a grant: one for each policy and object, however often what it grants changes. */
export function grantName(prefix: string, origin: Origin): string {
  return readableName([prefix], stableHash(originParts(origin), nameHashLength));
}

function originParts({ plane, policy, group, kind, namespace, name }: Origin): readonly string[] {
  return [plane, policy, group, kind, namespace, name];
}
