import { setCondition } from "@milo-quota/kubernetes/protocol/condition.ts";
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ApiObject } from "../../kinds/api-object.ts";
import { finalizersOf, withMetadata } from "../../metadata/metadata.ts";
import { conditionsOf } from "./crd-conditions.ts";

/** Held by every definition that is being deleted, until its objects are gone. */
export const cleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";

/** A definition goes after its objects: the first request to delete it only says so. */
export function markedForDeletion(crd: ApiObject, now: string): ApiObject {
  const others = finalizersOf(crd).filter((name) => name !== cleanupFinalizer);
  const marked = withMetadata(crd, { deletionTimestamp: now, finalizers: [...others, cleanupFinalizer] });
  const message = "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon";
  return withTermination(marked, { reason: "InstanceDeletionPending", message }, now);
}

/** How far the deletion of the objects has come. */
export function withTermination(
  crd: ApiObject,
  because: { readonly reason: string; readonly message: string },
  now: string,
): ApiObject {
  const given = ownValue(crd, "status");
  const status: JsonObject = isJsonObject(given) ? given : {};
  const conditions = setCondition(conditionsOf(status), { type: "Terminating", status: "True", ...because }, now);
  return { ...crd, status: { ...status, conditions: conditions as unknown as JsonValue } } as unknown as ApiObject;
}
