import type { JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { parseTime } from "@milo-quota/kubernetes/protocol/time.ts";
import type { PrinterColumn } from "@milo-quota/kubernetes/schema/kind-definition.ts";
import { humanDuration } from "../builtin/age.ts";
import { goText } from "../go-text.ts";
import { findValues } from "./json-path.ts";
import { type JsonPath, parseJsonPath } from "./json-path-reader.ts";

/** The content of a table cell; null where the object has no value. */
export type Cell = string | number | bigint | boolean | null;

/** Reads the cells of a column; empty for an unusable path. */
export function cellReader(column: PrinterColumn): (object: JsonValue, nowMs: number) => Cell {
  const path = parseJsonPath(column.jsonPath);
  if (!path.ok) return () => null;
  return (object, nowMs) => cellOf(path.value, column.type, object, nowMs);
}

/** Of several values the first is shown. */
function cellOf(path: JsonPath, type: PrinterColumn["type"], object: JsonValue, nowMs: number): Cell {
  const [value] = findValues(path, object) ?? [];
  if (value === undefined) return null;
  if (type === "string") return goText(value);
  return value === null ? null : typedCell(type, value, nowMs);
}

function typedCell(type: Exclude<PrinterColumn["type"], "string">, value: JsonValue, nowMs: number): Cell {
  switch (type) {
    case "integer":
      if (typeof value === "bigint") return value;
      return typeof value === "number" ? Math.trunc(value) : null;
    case "number":
      if (typeof value === "bigint") return Number(value);
      return typeof value === "number" ? value : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "date":
      return typeof value === "string" ? ageOf(value, nowMs) : null;
    default:
      return null;
  }
}

/** Dates are shown as ages. */
function ageOf(text: string, nowMs: number): string {
  if (text === "" || text === "null") return "<unknown>";
  const then = parseTime(text);
  return then === undefined ? "<invalid>" : humanDuration(nowMs - then);
}
