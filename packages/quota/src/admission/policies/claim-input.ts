import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";
import { timeText } from "@milo-quota/kubernetes/protocol/time.ts";
import type { ControlPlanes } from "../../views/control-planes.ts";
import type { ObjectChange } from "../object-change.ts";
import type { ChangeInput } from "./wanted-claims.ts";

/** What policies may ask about a change beside its object. */
export function claimInput(change: ObjectChange, planes: ControlPlanes, clock: Clock): ChangeInput {
  const { operation, kind, plane, userInfo, subresource, namespace, name } = change;
  return {
    user: { name: userInfo.username, uid: userInfo.uid, groups: userInfo.groups, extra: userInfo.extra },
    requestInfo: {
      verb: operation.toLowerCase(),
      apiGroup: kind.group,
      apiVersion: kind.version,
      resource: kind.plural,
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
