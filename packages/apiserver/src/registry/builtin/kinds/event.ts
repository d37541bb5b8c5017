import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ApiObject } from "../../kinds/api-object.ts";
import type { Column } from "../../kinds/served-kind.ts";
import { timeSince } from "../age.ts";
import { builtinKind } from "../builtin-kind.ts";
import { nameColumn, textColumn, typed, wideColumn } from "../columns.ts";
import { roundTripThroughGoType } from "../typed/go-round-trip.ts";
import type { CoreEvent } from "./event-fields.ts";
import { coreEventIssues, newEventIssues } from "./event-rules.ts";

/** Names in events.k8s.io of the fields of the core group. */
const newNames: Readonly<Record<string, string>> = {
  involvedObject: "regarding",
  message: "note",
  source: "deprecatedSource",
  firstTimestamp: "deprecatedFirstTimestamp",
  lastTimestamp: "deprecatedLastTimestamp",
  count: "deprecatedCount",
  reportingComponent: "reportingController",
};
const coreNames = Object.fromEntries(Object.entries(newNames).map(([core, other]) => [other, core]));

const referenceFields = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"];

/** Columns of either kind read the core fields. */
function eventColumns(toCore: (object: ApiObject) => CoreEvent): readonly Column[] {
  const read = (cell: (event: CoreEvent, nowMs: number) => string | number): NonNullable<Column["read"]> =>
    typed<ApiObject>((object, nowMs) => cell(toCore(object), nowMs));
  return [
    textColumn("Last Seen", read(lastSeen)),
    textColumn(
      "Type",
      read(({ type = "" }) => type),
    ),
    textColumn(
      "Reason",
      read(({ reason = "" }) => reason),
    ),
    textColumn("Object", read(target)),
    wideColumn(
      "Subobject",
      read(({ involvedObject }) => involvedObject.fieldPath ?? ""),
    ),
    wideColumn("Source", read(sourceText)),
    textColumn(
      "Message",
      read(({ message = "" }) => message.trim()),
    ),
    wideColumn("First Seen", read(firstSeen)),
    wideColumn(
      "Count",
      read(({ series, count }) => (series === undefined ? count || 1 : (series.count ?? 0))),
    ),
    { ...nameColumn, priority: 1 },
  ];
}

export const coreEvent = builtinKind<CoreEvent>({
  struct: "core.v1.Event",
  group: "",
  plural: "events",
  shortNames: ["ev"],
  scope: "Namespaced",
  createsOnUpdate: true,
  nameRule: () => [],
  selectableFields: [
    ...referenceFields.map((field) => `involvedObject.${field}`),
    "reason",
    "reportingComponent",
    "source",
    "type",
  ],
  columns: eventColumns((object) => object as unknown as CoreEvent),
  validate: (event) => coreEventIssues(event, "reportingComponent"),
  // The reporter, from whichever of the two fields is set.
  selectField: ({ source, reportingComponent }, field) =>
    field === "source" ? source.component || reportingComponent : undefined,
});

/** The same stored objects, in the fields of events.k8s.io. */
export const newEvent = builtinKind<ApiObject>({
  struct: "events.v1.Event",
  group: "events.k8s.io",
  plural: "events",
  shortNames: ["ev"],
  scope: "Namespaced",
  createsOnUpdate: true,
  selectableFields: [...referenceFields.map((field) => `regarding.${field}`), "reason", "reportingController", "type"],
  columns: eventColumns(asCore),
  validate: (event, old) => newEventIssues(asCore(event), old === undefined ? undefined : asCore(old)),
  selectField: (object, field) => fieldOfCore(object, field),
  storedAs: "events",
  storage: {
    toStored: (object) => renamed(object, coreNames, "core.v1.Event", "v1"),
    fromStored: (object) => renamed(object, newNames, "events.v1.Event", "events.k8s.io/v1"),
  },
});

/** Selectors use the stored field, whatever its name in events.k8s.io. */
function fieldOfCore(object: ApiObject, field: string): string | undefined {
  const [first = "", ...rest] = field.split(".");
  let value: unknown = (object as JsonObject)[coreNames[first] ?? first];
  for (const step of rest) value = (value as Readonly<Record<string, unknown>> | undefined)?.[step];
  return typeof value === "string" ? value : undefined;
}

function asCore(object: ApiObject): CoreEvent {
  return renamed(object, coreNames, "core.v1.Event", "v1") as unknown as CoreEvent;
}

function renamed(
  object: ApiObject,
  names: Readonly<Record<string, string>>,
  struct: string,
  apiVersion: string,
): ApiObject {
  const fields = Object.entries(object).map(([key, value]) => [Object.hasOwn(names, key) ? names[key] : key, value]);
  return roundTripThroughGoType(struct, { ...Object.fromEntries(fields), apiVersion }) as unknown as ApiObject;
}

function firstSeen({ firstTimestamp, eventTime }: CoreEvent, nowMs: number): string {
  return timeSince(firstTimestamp ?? eventTime, nowMs);
}

function lastSeen(event: CoreEvent, nowMs: number): string {
  if (event.series !== undefined) return timeSince(event.series.lastObservedTime, nowMs);
  return event.lastTimestamp === null ? firstSeen(event, nowMs) : timeSince(event.lastTimestamp, nowMs);
}

function target({ involvedObject: { kind = "", name = "" } }: CoreEvent): string {
  return name === "" ? kind.toLowerCase() : `${kind.toLowerCase()}/${name}`;
}

function sourceText({ source, reportingComponent, reportingInstance }: CoreEvent): string {
  const component = source.component || reportingComponent;
  const instance = source.host || reportingInstance;
  return instance === "" ? component : `${component}, ${instance}`;
}
