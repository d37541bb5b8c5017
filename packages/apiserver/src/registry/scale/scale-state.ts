import { conflict, failure, invalidObject, StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";
import { invalid } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { quote } from "@milo-quota/kubernetes/protocol/go-quote.ts";
import { metadataIssues } from "@milo-quota/kubernetes/protocol/metadata/metadata-rules.ts";
import { withManagedFields } from "../field-ownership.ts";
import type { ApiObject } from "../kinds/api-object.ts";
import type { ServedKind } from "../kinds/served-kind.ts";
import { withMetadata } from "../metadata/metadata.ts";
import type { WriteRequest } from "../object-request.ts";
import { type NextState, notFoundError } from "../update.ts";
import { scaleKind } from "./scale-kind.ts";
import { replicaCounts, type Scaling, withReplicas } from "./scaling.ts";

/** Stands for an absent replica count while a change is computed. */
const noCount = -(2 ** 31);

/** The Scale of an object; throws if the object has no replica count. */
export function scaleOf(object: ApiObject, kind: ServedKind): ApiObject {
  const scaling = scalingOf(kind);
  if (replicaCounts(object, scaling).desired !== undefined) return scaleView(object, scaling);
  const message = `Internal error occurred: the spec replicas field ${quote(scaling.specReplicasPath)} does not exist`;
  throw new StatusError(failure("InternalError", message));
}

/** The next state of an object by a change of its Scale. */
export function nextByScale(change: NextState, request: WriteRequest, name: string, clock: Clock): NextState {
  const scaling = scalingOf(request.kind);
  return (current) => {
    if (current === undefined) throw notFoundError(request, name);
    const scale = change(scaleView(current, scaling));
    checkScale(scale, current, request);
    const { resourceVersion } = scale.metadata;
    const scaled = withReplicas(current, scaling, replicasOf(scale));
    const versioned = resourceVersion ? withMetadata(scaled, { resourceVersion }) : scaled;
    return withManagedFields(current, versioned, request, clock.now());
  };
}

function scaleView(object: ApiObject, scaling: Scaling): ApiObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const { desired = noCount, current, selector } = replicaCounts(object, scaling);
  const scale = {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), uid, resourceVersion, creationTimestamp },
    spec: { replicas: desired },
    status: { replicas: current, selector },
  } as unknown as ApiObject;
  return scaleKind.rules.read?.(scale) ?? scale;
}

function checkScale(scale: ApiObject, current: ApiObject, { kind }: WriteRequest): void {
  const { uid } = scale.metadata;
  const name = current.metadata.name as string;
  if (uid && uid !== current.metadata.uid) {
    const because = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${current.metadata.uid}`;
    throw new StatusError(conflict({ group: kind.group, resource: `${kind.plural}/scale` }, name, because));
  }
  const replicas = replicasOf(scale);
  if (replicas === noCount) {
    const path = quote(scalingOf(kind).specReplicasPath);
    throw new StatusError(failure("BadRequest", `the spec replicas field ${path} cannot be empty`));
  }
  if (kind.isCustom) return; // validated by its schema and rules
  const issues = [
    ...metadataIssues(scale.metadata, scaleKind),
    ...(replicas < 0 ? [invalid("spec.replicas", replicas, "must be greater than or equal to 0")] : []),
  ];
  if (issues.length > 0) throw new StatusError(invalidObject(scaleKind, name, issues));
}

function replicasOf(scale: ApiObject): number {
  const { replicas = 0 } = (scale["spec"] ?? {}) as { readonly replicas?: number };
  return replicas;
}

function scalingOf({ scale, plural }: ServedKind): Scaling {
  if (scale === undefined) throw new Error(`${plural} cannot be scaled`);
  return scale;
}
