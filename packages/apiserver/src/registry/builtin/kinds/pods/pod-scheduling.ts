import { isUnset, itemsOf, nestedObject } from "../../typed/draft.ts";
import type { DraftObject } from "../../typed/go-round-trip.ts";

/** Toleration seconds for nodes that are not ready or unreachable. */
const tolerationSeconds = 300;
const nodeTaints = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];

/** Tolerations that Kubernetes adds at admission. */
export function addDefaultTolerations(draft: DraftObject): void {
  const spec = nestedObject(draft, "spec");
  if (spec === undefined) return;
  const tolerations = itemsOf(spec, "tolerations");
  const added = nodeTaints
    .filter((taint) => !tolerations.some((toleration) => tolerates(toleration, taint)))
    .map((key) => ({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: tolerationSeconds }));
  if (added.length > 0) spec["tolerations"] = [...tolerations, ...added];
}

function tolerates({ key, effect }: DraftObject, taint: string): boolean {
  return (isUnset(key) || key === taint) && (isUnset(effect) || effect === "NoExecute");
}

/** Without a priority class the priority is zero. */
export function defaultPriority(draft: DraftObject): void {
  const spec = nestedObject(draft, "spec");
  if (spec === undefined || !isUnset(spec["priorityClassName"])) return;
  spec["priority"] ??= 0;
  spec["preemptionPolicy"] ??= "PreemptLowerPriority";
}

/** Keeps podIP and the first of podIPs the same. */
export function syncPodIps(draft: DraftObject): void {
  const status = nestedObject(draft, "status");
  const first = status?.["podIP"];
  if (status === undefined || isUnset(first) || itemsOf(status, "podIPs").length > 0) return;
  status["podIPs"] = [{ ip: first as string }];
}
