import type { ObjectMeta } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { annotations } from "./well-known.ts";

/** UIDs of the objects that a claim may be for. */
export function candidatesOf({ annotations: noted = {} }: ObjectMeta): readonly string[] {
  return (noted[annotations.candidates] ?? "").split(",").filter((uid) => uid !== "");
}

export function ownersOf({ ownerReferences = [] }: ObjectMeta): readonly string[] {
  return ownerReferences.map(({ uid }) => uid);
}

export function candidatesText(candidates: readonly string[]): string {
  return candidates.join(",");
}
