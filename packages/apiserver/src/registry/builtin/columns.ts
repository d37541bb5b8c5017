import type { ApiObject } from "../kinds/api-object.ts";
import type { Column } from "../kinds/served-kind.ts";
import { timeSince } from "./age.ts";

type Read = NonNullable<Column["read"]>;

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

/** Default columns. */
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

/** Shown by `kubectl get -o wide` only. */
export function wideColumn(name: string, read: Read): Column {
  return { ...textColumn(name, read), priority: 1 };
}

/** Columns that read objects as a typed kind; `decodeIssue` has checked the types. */
export function typed<Kind>(read: (object: Kind, nowMs: number) => ReturnType<Read>): Read {
  return (object: ApiObject, nowMs: number) => read(object as unknown as Kind, nowMs);
}
