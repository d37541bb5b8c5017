import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";
import { timeText } from "@milo-quota/kubernetes/protocol/time.ts";
import type { ControlPlanes } from "../../views/control-planes.ts";
import type { ObjectChange } from "../object-change.ts";
import type { ChangeInput } from "./wanted-claims.ts";

/** What policies may ask about a change beside its object. */
export function claimInput(change: ObjectChange, planes: ControlPlanes, clock: Clock): ChangeInput {
  const { operation, type, plane, user, subresource, namespace, name } = change;
  return {
    user,
    requestInfo: {
      verb: operation.toLowerCase(),
      apiGroup: type.group,
      apiVersion: type.version,
      resource: type.plural,
      subresource,
      namespace,
      name,
    },
    plane: plane === planes.root ? "" : plane,
    tenantOf: (object) => planes.tenantOf(plane, object),
    bucketNamespace: (consumer) => planes.bucketNamespace(consumer),
    isElsewhere: (consumer) => (planes.planeOf(consumer) ?? plane) !== plane,
    now: timeText(clock.now()),
  };
}
