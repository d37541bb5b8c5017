import { type JsonValue, jsonEquals } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ObjectMeta } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { type GroupKind, groupKindText } from "../resources/fields/consumer-ref.ts";
import { stableHash } from "../resources/stable-hash.ts";
import { annotations, labels } from "../resources/well-known.ts";
import { grantManifest, type RenderedGrant } from "./grant-policy.ts";

/** The policy that created a grant, and the object that it was created for. Planes are empty for the root. */
export interface GrantOrigin {
  readonly policyPlane: string;
  readonly policy: string;
  readonly kind: GroupKind;
  readonly plane: string;
  readonly namespace: string;
  readonly name: string;
}

const hashLength = 20;

/** Annotations that a template cannot set, because they would attribute the grant to another origin. */
const originKeys: readonly string[] = [
  annotations.policyPlane,
  annotations.resourcePlane,
  annotations.resourceNamespace,
];

/** Unique for each origin, because no part can contain a newline. */
export function originId(origin: GrantOrigin): string {
  const { policyPlane, policy, kind, plane, namespace, name } = origin;
  return [policyPlane, policy, groupKindText(kind), plane, namespace, name].join("\n");
}

/** The origin of a stored grant; undefined for a grant that was not created by a policy. */
export function originIn({ labels: labelled = {}, annotations: noted = {} }: ObjectMeta): GrantOrigin | undefined {
  const policy = noted[annotations.policy];
  const name = noted[annotations.resourceName];
  const [kind, ...group] = (noted[annotations.resourceKind] ?? "").split(".");
  if (labelled[labels.autoCreated] !== "true" || !policy || !name || !kind) return undefined;
  return {
    policyPlane: noted[annotations.policyPlane] ?? "",
    policy,
    kind: { apiGroup: group.join("."), kind },
    plane: noted[annotations.resourcePlane] ?? "",
    namespace: noted[annotations.resourceNamespace] ?? "",
    name,
  };
}

/** Adds annotations to a rendered grant by which it can be found by its origin, and compared with later renderings. */
export function tracedGrant(grant: RenderedGrant, origin: GrantOrigin, triggerUid: string): RenderedGrant {
  const own = Object.entries(grant.annotations).filter(([key]) => !originKeys.includes(key));
  const noted: Readonly<Record<string, string>> = {
    ...Object.fromEntries(own),
    ...originAnnotations(origin),
    [annotations.resourceUid]: triggerUid,
  };
  const rendered = stableHash([...pairs(grant.labels), "", ...pairs(noted)], hashLength);
  return { ...grant, annotations: { ...noted, [annotations.rendered]: rendered } };
}

/** Whether a stored grant is what its policy renders now. Labels and annotations that users added are ignored. */
export function isUpToDate(
  stored: { readonly metadata: ObjectMeta; readonly expiresAt: string | undefined } & Pick<
    RenderedGrant,
    "consumer" | "allowances"
  >,
  wanted: RenderedGrant,
): boolean {
  const { metadata, consumer, allowances, expiresAt } = stored;
  const noted = metadata.annotations ?? {};
  if (expiresAt !== undefined) return false;
  if (noted[annotations.rendered] !== wanted.annotations[annotations.rendered]) return false;
  return jsonEquals(specOf({ ...wanted, consumer, allowances }), specOf(wanted));
}

function specOf(grant: RenderedGrant): JsonValue {
  return grantManifest(grant)["spec"] ?? null;
}

function originAnnotations({ policyPlane, policy, kind, plane, namespace, name }: GrantOrigin) {
  return {
    [annotations.policy]: policy,
    [annotations.resourceName]: name,
    [annotations.resourceKind]: groupKindText(kind),
    ...(policyPlane === "" ? {} : { [annotations.policyPlane]: policyPlane }),
    ...(plane === "" ? {} : { [annotations.resourcePlane]: plane }),
    ...(namespace === "" ? {} : { [annotations.resourceNamespace]: namespace }),
  };
}

function pairs(texts: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(texts)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .flat();
}
