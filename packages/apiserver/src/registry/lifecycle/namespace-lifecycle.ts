import {
  failure,
  resourceForbidden,
  resourceNotFound,
  StatusError,
} from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { ObjectStore } from "../../storage/object-store.ts";
import type { StoredObject } from "../../storage/stored-object.ts";
import type { ServedKind } from "../kinds/served-kind.ts";
import { type ObjectRequest, resourceOf } from "../object-request.ts";

export const namespaces = "namespaces";

export function isNamespaceKind({ group, plural }: Pick<ServedKind, "group" | "plural">): boolean {
  return group === "" && plural === namespaces;
}

/** Objects can be created only in namespaces that exist and are not terminating. */
export function requireLiveNamespace(store: ObjectStore, request: ObjectRequest, name: string): void {
  const { namespace, kind, plane } = request;
  if (kind.scope === "Cluster") return;
  const found = namespaceNamed(store, plane, namespace);
  if (found === undefined) {
    throw new StatusError(resourceNotFound({ group: "", resource: namespaces }, namespace));
  }
  if (found.object.metadata.deletionTimestamp === undefined) return;
  const because = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const status = resourceForbidden(resourceOf(request), name, because);
  const cause = {
    reason: "NamespaceTerminating",
    message: `namespace ${namespace} is being terminated`,
    field: "metadata.namespace",
  };
  throw new StatusError({ ...status, details: { ...status.details, causes: [cause] } });
}

/** Namespaces that cannot be deleted. */
const undeletable = new Set(["default", "kube-system", "kube-public"]);

export function requireDeletableNamespace(request: ObjectRequest, name: string): void {
  const { kind } = request;
  if (!isNamespaceKind(kind) || !undeletable.has(name)) return;
  throw new StatusError(
    failure("Forbidden", `namespaces "${name}" is forbidden: this namespace may not be deleted`, {
      name,
      kind: namespaces,
    }),
  );
}

function namespaceNamed(store: ObjectStore, plane: string, name: string): StoredObject | undefined {
  return store.get({ plane, resource: namespaces, namespace: "", name });
}
