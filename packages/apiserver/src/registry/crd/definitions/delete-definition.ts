import { setCondition } from "@milo-quota/kubernetes/protocol/condition.ts";
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ApiObject } from "../../kinds/api-object.ts";
import { finalizersOf, withMetadata } from "../../metadata/metadata.ts";
import { conditionsOf } from "./crd-conditions.ts";

/** On every terminating definition, until its objects are deleted. */
export const cleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";

/** A definition is removed after its objects: the first delete only marks it. */
export function markedForDeletion(crd: ApiObject, now: string): ApiObject {
  const others = finalizersOf(crd).filter((name) => name !== cleanupFinalizer);
  const marked = withMetadata(crd, { deletionTimestamp: now, finalizers: [...others, cleanupFinalizer] });
  const message = "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon";
  return withTermination(marked, { reason: "InstanceDeletionPending", message }, now);
}

/** The progress of deleting the objects. */
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
