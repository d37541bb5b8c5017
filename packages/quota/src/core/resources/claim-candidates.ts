import type { ObjectMeta } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { annotations } from "./well-known.ts";

/** The objects that a claim may be for, by UID. */
export function candidatesOf({ annotations: noted = {} }: ObjectMeta): readonly string[] {
  return (noted[annotations.candidates] ?? "").split(",").filter((uid) => uid !== "");
}

/** The objects that own it, by UID. */
export function ownersOf({ ownerReferences = [] }: ObjectMeta): readonly string[] {
  return ownerReferences.map(({ uid }) => uid);
}

export function candidatesText(candidates: readonly string[]): string {
  return candidates.join(",");
}
