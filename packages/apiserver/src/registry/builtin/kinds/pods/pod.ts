import type { FieldIssue } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import type { WrittenSubresource } from "../../../kinds/served-kind.ts";
import { builtinKind } from "../../builtin-kind.ts";
import { ageColumn, nameColumn, textColumn, typed, wideColumn } from "../../columns.ts";
import { ensureNestedObject } from "../../typed/draft.ts";
import type { DraftObject } from "../../typed/go-round-trip.ts";
import { podSummary, readinessGatesText, restartsText } from "./pod-columns.ts";
import { fillPod } from "./pod-defaults.ts";
import type { Pod } from "./pod-object.ts";
import { qosClass } from "./pod-qos.ts";
import { addDefaultTolerations, defaultPriority, syncPodIps } from "./pod-scheduling.ts";
import { podSpecIssues } from "./pod-template-rules.ts";
import { podUpdateIssues } from "./pod-update-rules.ts";

export const pod = builtinKind<Pod>({
  struct: "core.v1.Pod",
  group: "",
  plural: "pods",
  shortNames: ["po"],
  categories: ["all"],
  scope: "Namespaced",
  hasStatus: true,
  hasGeneration: true,
  returnsDeleted: true,
  selectableFields: [
    "spec.nodeName",
    "spec.restartPolicy",
    "spec.schedulerName",
    "spec.serviceAccountName",
    "spec.hostNetwork",
    "status.phase",
    "status.podIP",
    "status.podIPs",
    "status.nominatedNodeName",
  ],
  columns: [
    nameColumn,
    textColumn(
      "Ready",
      typed<Pod>((object) => `${podSummary(object).ready}/${podSummary(object).total}`),
    ),
    textColumn(
      "Status",
      typed<Pod>((object) => podSummary(object).reason),
    ),
    textColumn(
      "Restarts",
      typed<Pod>((object, nowMs) => restartsText(podSummary(object), nowMs)),
    ),
    ageColumn,
    wideColumn(
      "IP",
      typed<Pod>(({ status }) => status.podIPs?.[0]?.ip || "<none>"),
    ),
    wideColumn(
      "Node",
      typed<Pod>(({ spec }) => spec.nodeName || "<none>"),
    ),
    wideColumn(
      "Nominated Node",
      typed<Pod>(({ status }) => status.nominatedNodeName || "<none>"),
    ),
    wideColumn("Readiness Gates", typed<Pod>(readinessGatesText)),
  ],
  defaults: (draft) => {
    fillPod(draft);
    syncPodIps(draft);
  },
  onCreate: (draft) => {
    beginStatus(draft);
    addDefaultTolerations(draft);
    defaultPriority(draft);
  },
  onUpdate: (draft, { spec }, part) => {
    if (part !== "") return;
    addDefaultTolerations(draft);
    keepPriority(draft, spec);
  },
  validate: podIssues,
  selectField: ({ spec, status }, field) => {
    if (field === "spec.hostNetwork") return String(spec.hostNetwork ?? false);
    return field === "status.podIPs" || field === "status.podIP" ? (status.podIPs?.[0]?.ip ?? "") : undefined;
  },
});

function beginStatus(draft: DraftObject): void {
  const status = ensureNestedObject(draft, "status");
  status["phase"] = "Pending";
  status["qosClass"] = qosClass((draft as unknown as Pod).spec);
}

/** An update without a priority keeps the current one. */
function keepPriority(draft: DraftObject, { priority, preemptionPolicy }: Pod["spec"]): void {
  const spec = ensureNestedObject(draft, "spec");
  if (priority !== undefined) spec["priority"] ??= priority;
  if (preemptionPolicy !== undefined) spec["preemptionPolicy"] ??= preemptionPolicy;
}

function podIssues({ spec }: Pod, old: Pod | undefined, part: WrittenSubresource): readonly FieldIssue[] {
  if (part === "status") return [];
  return [...podSpecIssues(spec, "spec"), ...(old === undefined ? [] : podUpdateIssues(spec, old.spec))];
}
