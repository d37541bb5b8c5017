import type { UserInfo } from "@milo-quota/kubernetes/protocol/user-info.ts";
import type { ServedKind } from "../registry/kinds/served-kind.ts";
import type { WriteRequest } from "../registry/object-request.ts";
import type { ObjectKey } from "../storage/object-key.ts";

/** A request that the server makes to itself, about one object. */
export function serverRequest(key: ObjectKey, kind: ServedKind, user: UserInfo, signal: AbortSignal): WriteRequest {
  return {
    plane: key.plane,
    kind,
    namespace: key.namespace,
    subresource: "",
    user,
    manager: "kube-controller-manager",
    dryRun: false,
    fieldValidation: "Ignore",
    warn: () => undefined,
    signal,
  };
}

/** A component of the server, under the name of its counterpart in Kubernetes. */
export function systemUser(name: string): UserInfo {
  const groups = [
    "system:masters",
    "system:serviceaccounts",
    "system:serviceaccounts:kube-system",
    "system:authenticated",
  ];
  return { username: `system:serviceaccount:kube-system:${name}`, uid: "", groups, extra: {} };
}
