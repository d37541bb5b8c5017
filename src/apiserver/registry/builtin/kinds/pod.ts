import { type FieldIssue, forbidden } from "../../../../protocol/field-issue.ts";
import type { WrittenPart } from "../../served-kind.ts";
import { builtinKind } from "../builtin-kind.ts";
import { ageColumn, nameColumn, textColumn, typed, wideColumn } from "../columns.ts";
import { immutable, same, unless } from "../field-checks.ts";
import { innerMade } from "../typed/draft.ts";
import type { DraftObject } from "../typed/json-shape.ts";
import { podSummary, readinessGatesText, restartsText } from "./pod-columns.ts";
import { fillPod } from "./pod-defaults.ts";
import type { Pod } from "./pod-object.ts";
import { qualityOfService } from "./pod-quality.ts";
import { mirrorAddresses, prioritize, tolerateAbsence } from "./pod-scheduling.ts";
import { podSpecIssues } from "./pod-template-rules.ts";
import { podUpdateIssues } from "./pod-update-rules.ts";
import { podSpecWarnings } from "./pod-warnings.ts";

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
    mirrorAddresses(draft);
  },
  onCreate: (draft) => {
    beginStatus(draft);
    tolerateAbsence(draft);
    prioritize(draft);
  },
  onUpdate: (draft, { spec }, part) => {
    if (part !== "") return;
    tolerateAbsence(draft);
    keepPriority(draft, spec);
  },
  validate: podIssues,
  warnings: ({ spec }, old) => (old !== undefined && same(spec, old.spec) ? [] : podSpecWarnings(spec, "spec")),
  selectField: ({ spec, status }, field) => {
    if (field === "spec.hostNetwork") return String(spec.hostNetwork ?? false);
    return field === "status.podIPs" || field === "status.podIP" ? (status.podIPs?.[0]?.ip ?? "") : undefined;
  },
});

function beginStatus(draft: DraftObject): void {
  const object = draft as unknown as Pod;
  const status = innerMade(draft, "status");
  status["phase"] = "Pending";
  status["qosClass"] = qualityOfService(object.spec);
  if ((object.spec.schedulingGates ?? []).length === 0) return;
  status["conditions"] = [
    {
      type: "PodScheduled",
      status: "False",
      lastProbeTime: null,
      lastTransitionTime: object.metadata.creationTimestamp ?? null,
      reason: "SchedulingGated",
      message: "Scheduling is blocked due to non-empty scheduling gates",
    },
  ];
}

/** Who changes a pod cannot forget what it was given when it was made. */
function keepPriority(draft: DraftObject, old: Pod["spec"]): void {
  const spec = innerMade(draft, "spec");
  const { priority, preemptionPolicy } = old as { readonly priority?: number; readonly preemptionPolicy?: string };
  if (priority !== undefined) spec["priority"] ??= priority;
  if (preemptionPolicy !== undefined) spec["preemptionPolicy"] ??= preemptionPolicy;
}

function podIssues(object: Pod, old: Pod | undefined, part: WrittenPart): readonly FieldIssue[] {
  if (part === "status" && old !== undefined)
    return immutable("status.qosClass", object.status.qosClass, old.status.qosClass);
  return [
    ...podSpecIssues(object.spec, "spec"),
    ...(old === undefined ? newPodIssues(object) : podUpdateIssues(object.spec, old.spec)),
  ];
}

function newPodIssues({ spec }: Pod): readonly FieldIssue[] {
  const { ephemeralContainers = [], nodeName = "", schedulingGates = [] } = spec;
  return [
    ...unless(ephemeralContainers.length === 0, () => forbidden("spec.ephemeralContainers", "cannot be set on create")),
    ...unless(nodeName === "" || schedulingGates.length === 0, () =>
      forbidden("spec.nodeName", "cannot be set until all schedulingGates have been cleared"),
    ),
  ];
}
