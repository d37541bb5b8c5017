import { type FieldIssue, invalid, required } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { qualifiedName } from "@milo-quota/kubernetes/protocol/names.ts";
import { immutable, isEqual, issueUnless, nameRuleIssues } from "../field-checks.ts";
import type { CoreEvent } from "./event-fields.ts";

const lengthsMax = { reportingInstance: 128, action: 128, reason: 128, message: 1024 } as const;

/**
 * Rules of both kinds. Events with an `eventTime` are of the newer style, and must have a reporting controller and a
 * reason.
 */
export function coreEventIssues(event: CoreEvent, controllerField: string): readonly FieldIssue[] {
  return event.eventTime === null ? legacyEventIssues(event) : newStyleIssues(event, controllerField);
}

function legacyEventIssues({ metadata: { namespace = "" }, involvedObject }: CoreEvent): readonly FieldIssue[] {
  const { namespace: other = "" } = involvedObject;
  const agrees = other === "" ? namespace === "" || namespace === "default" : namespace === other;
  return issueUnless(agrees, () => invalid("involvedObject.namespace", other, "does not match event.namespace"));
}

function newStyleIssues(event: CoreEvent, controllerField: string): readonly FieldIssue[] {
  const { metadata, involvedObject, reportingComponent } = event;
  const { namespace: other = "" } = involvedObject;
  const isElsewhere = metadata.namespace !== "default" && metadata.namespace !== "kube-system";
  return [
    ...issueUnless(other !== "" || !isElsewhere, () =>
      invalid("involvedObject.namespace", other, "does not match event.namespace"),
    ),
    ...issueUnless(reportingComponent !== "", () => required(controllerField)),
    ...nameRuleIssues(controllerField, reportingComponent, qualifiedName),
    ...lengthIssues(event, "reportingInstance", "required"),
    ...lengthIssues(event, "action", "required"),
    ...lengthIssues(event, "reason", "required"),
    ...lengthIssues(event, "message", "optional"),
  ];
}

function lengthIssues(
  event: CoreEvent,
  field: keyof typeof lengthsMax,
  presence: "required" | "optional",
): readonly FieldIssue[] {
  const text = event[field] ?? "";
  if (text === "" && presence === "required") return [required(field)];
  const max = lengthsMax[field];
  return issueUnless(Buffer.byteLength(text) <= max, () => invalid(field, "", `can have at most ${max} characters`));
}

/** events.k8s.io is stricter: deprecated fields must be empty, and only the series may change. */
export function newEventIssues(event: CoreEvent, old: CoreEvent | undefined): readonly FieldIssue[] {
  return [
    ...coreEventIssues(event, "reportingController"),
    ...(old === undefined ? [...seriesIssues(event), ...newOnlyIssues(event)] : changeIssues(event, old)),
  ];
}

function seriesIssues({ series }: CoreEvent): readonly FieldIssue[] {
  if (series === undefined) return [];
  return [
    ...issueUnless((series.count ?? 0) >= 2, () => invalid("series.count", "", "should be at least 2")),
    ...issueUnless(series.lastObservedTime !== null, () => required("series.lastObservedTime")),
  ];
}

function newOnlyIssues(event: CoreEvent): readonly FieldIssue[] {
  const { eventTime, type = "", firstTimestamp, lastTimestamp, count = 0, source } = event;
  const unset = (field: string, isUnset: boolean): readonly FieldIssue[] =>
    issueUnless(isUnset, () => invalid(field, "", "needs to be unset"));
  return [
    ...issueUnless(eventTime !== null, () => required("eventTime")),
    ...issueUnless(type === "Normal" || type === "Warning", () => invalid("type", "", `has invalid value: ${type}`)),
    ...unset("firstTimestamp", firstTimestamp === null),
    ...unset("lastTimestamp", lastTimestamp === null),
    ...unset("count", count === 0),
    ...unset("source", !source.component && !source.host),
  ];
}

const fixedFields = [
  "involvedObject",
  "reason",
  "message",
  "source",
  "firstTimestamp",
  "lastTimestamp",
  "count",
  "type",
  "eventTime",
  "action",
  "related",
] as const;

function changeIssues(event: CoreEvent, old: CoreEvent): readonly FieldIssue[] {
  return [
    ...(isEqual(event.series, old.series) ? [] : seriesIssues(event)),
    ...fixedFields.flatMap((field) => immutable(field, event[field], old[field])),
    ...immutable("reportingController", event.reportingComponent, old.reportingComponent),
    ...immutable("reportingInstance", event.reportingInstance, old.reportingInstance),
  ];
}
