import type { ApiObject } from "../kinds/api-object.ts";
import type { Column } from "../kinds/served-kind.ts";
import { timeSince } from "./age.ts";

type Read = NonNullable<Column["read"]>;

/** The first column of nearly every table. */
export const nameColumn: Column = {
  name: "Name",
  type: "string",
  format: "name",
  jsonPath: ".metadata.name",
  read: (object) => object.metadata.name ?? "",
};

export const ageColumn: Column = {
  name: "Age",
  type: "string",
  jsonPath: ".metadata.creationTimestamp",
  read: (object, nowMs) => timeSince(object.metadata.creationTimestamp, nowMs),
};

/** What tables show of kinds that nobody made columns for. */
export const plainColumns: readonly Column[] = [
  nameColumn,
  {
    name: "Created At",
    type: "date",
    jsonPath: ".metadata.creationTimestamp",
    read: (object) => object.metadata.creationTimestamp ?? "",
  },
];

export function textColumn(name: string, read: Read): Column {
  return { name, type: "string", jsonPath: "", read };
}

/** Shown by `kubectl get -o wide` alone. */
export function wideColumn(name: string, read: Read): Column {
  return { ...textColumn(name, read), priority: 1 };
}

/** The same columns for readers that know the type of their kind; `decodeIssue` saw to it that objects have it. */
export function typed<Kind>(read: (object: Kind, nowMs: number) => ReturnType<Read>): Read {
  return (object: ApiObject, nowMs: number) => read(object as unknown as Kind, nowMs);
}
