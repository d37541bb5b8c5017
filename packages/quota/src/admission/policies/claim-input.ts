import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";
import { formatTime } from "@milo-quota/kubernetes/protocol/time.ts";
import type { ControlPlanes } from "../../views/control-planes.ts";
import type { ObjectChange } from "../object-change.ts";
import type { ChangeInput } from "./policy-evaluation.ts";

/** The request that a change comes from, as policies see it. */
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
    now: formatTime(clock.now()),
  };
}
