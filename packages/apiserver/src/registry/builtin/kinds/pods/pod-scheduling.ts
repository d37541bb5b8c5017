import { inner, isUnset, itemsOf } from "../../typed/draft.ts";
import type { DraftObject } from "../../typed/json-shape.ts";

/** How long a pod stays on a node that went away, unless it says otherwise. */
const awaySeconds = 300;
const awayTaints = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];

/** What Kubernetes adds to every pod when it admits it, new or changed. */
export function tolerateAbsence(draft: DraftObject): void {
  const spec = inner(draft, "spec");
  if (spec === undefined) return;
  const tolerations = itemsOf(spec, "tolerations");
  const added = awayTaints
    .filter((taint) => !tolerations.some((toleration) => tolerates(toleration, taint)))
    .map((key) => ({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: awaySeconds }));
  if (added.length > 0) spec["tolerations"] = [...tolerations, ...added];
}

function tolerates({ key, effect }: DraftObject, taint: string): boolean {
  return (isUnset(key) || key === taint) && (isUnset(effect) || effect === "NoExecute");
}

/** A pod that names no class of priority has none. */
export function prioritize(draft: DraftObject): void {
  const spec = inner(draft, "spec");
  if (spec === undefined || !isUnset(spec["priorityClassName"])) return;
  spec["priority"] ??= 0;
  spec["preemptionPolicy"] ??= "PreemptLowerPriority";
}

/** A client that names one address of a pod names the first of all. */
export function mirrorAddresses(draft: DraftObject): void {
  const status = inner(draft, "status");
  const first = status?.["podIP"];
  if (status === undefined || isUnset(first) || itemsOf(status, "podIPs").length > 0) return;
  status["podIPs"] = [{ ip: first as string }];
}
