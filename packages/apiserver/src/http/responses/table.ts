import type { JsonObject, JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { cellReader } from "../../registry/json-path/column-cell.ts";
import type { ApiObject } from "../../registry/kinds/api-object.ts";
import type { Column } from "../../registry/kinds/served-kind.ts";
import { type ListMetadata, partial, type ViewOptions } from "./view-options.ts";

/** Printer columns of custom kinds do not include the name. */
const nameColumn: Column = {
  name: "Name",
  type: "string",
  format: "name",
  description: "The name of the object; no other of its kind in the same namespace has it.",
  jsonPath: ".metadata.name",
  read: (object) => object.metadata.name ?? "",
};

/** Objects as `kubectl get` prints them. */
export function tableOf(objects: readonly ApiObject[], viewOptions: ViewOptions, metadata: ListMetadata): JsonObject {
  const { kind, nowMs, includeObject } = viewOptions;
  const columns = kind.isCustom ? [nameColumn, ...kind.columns] : kind.columns;
  return {
    kind: "Table",
    apiVersion: "meta.k8s.io/v1",
    metadata: metadata as unknown as JsonObject,
    columnDefinitions: columns.map(definition),
    rows: objects.map((object) => ({
      cells: columns.map((column) => cellOf(object, column, nowMs)),
      ...objectPart(object, includeObject),
    })),
  };
}

function definition({ name, type, format = "", description = "", priority = 0 }: Column): JsonObject {
  return { name, type, format, description, priority };
}

const readers = new WeakMap<Column, ReturnType<typeof cellReader>>();

/** Columns of custom kinds are JSONPaths, parsed once. */
function cellOf(object: ApiObject, column: Column, nowMs: number): JsonValue {
  if (column.read !== undefined) return column.read(object, nowMs);
  const read = readers.get(column) ?? cellReader(column);
  readers.set(column, read);
  return read(object, nowMs);
}

function objectPart(object: ApiObject, includeObject: string): JsonObject {
  if (includeObject === "None") return { object: null };
  return { object: includeObject === "Object" ? object : partial(object) };
}
