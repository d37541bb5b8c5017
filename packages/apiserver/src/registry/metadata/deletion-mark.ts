import { formatTime } from "@milo-quota/kubernetes/protocol/time.ts";
import type { ApiObject } from "../kinds/api-object.ts";
import { withMetadata } from "./metadata.ts";

/** Undefined when it is marked already and nothing else changes. */
export function markedForDeletion(object: ApiObject, isChanged: boolean, nowMs: number): ApiObject | undefined {
  const { deletionTimestamp, generation } = object.metadata;
  if (deletionTimestamp !== undefined) return isChanged ? object : undefined;
  const marked = withMetadata(object, {
    deletionTimestamp: formatTime(nowMs),
    ...(object.kind === "Namespace" && object.apiVersion === "v1" ? {} : { deletionGracePeriodSeconds: 0 }),
    ...(generation === undefined ? {} : { generation: generation + 1 }),
  });
  if (object.kind !== "Namespace" || object.apiVersion !== "v1") return marked;
  return { ...marked, status: { ...(object["status"] as object), phase: "Terminating" } } as unknown as ApiObject;
}
