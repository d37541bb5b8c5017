import { quote } from "@milo-quota/kubernetes/protocol/go-quote.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { formatCheck } from "@milo-quota/kubernetes/schema/formats.ts";
import type { ApiObject } from "../../kinds/api-object.ts";
import { textOf } from "../schemas/raw-schema.ts";
import { readDefinition } from "./definition.ts";
import { columnWarnings } from "./version-rules.ts";

/** Warnings about valid parts of a definition that may not do what its author expects. */
export function definitionWarnings(crd: ApiObject, old: ApiObject | undefined): readonly string[] {
  const known = new Set(old === undefined ? [] : unknownFormats(old));
  const formats = unknownFormats(crd).filter((format) => !known.has(format));
  const { versions } = readDefinition(crd);
  return [
    ...formats.map((format) => `unrecognized format ${quote(format)}`),
    ...versions.flatMap(({ columns }, index) => columnWarnings(columns, `spec.versions[${index}]`)),
  ];
}

function unknownFormats(crd: ApiObject): readonly string[] {
  return readDefinition(crd).versions.flatMap(({ schema }) =>
    schema === undefined ? [] : formatsIn(schema as JsonObject),
  );
}

function formatsIn(schema: JsonValue): readonly string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const below = Object.values(schema).flatMap((member) => formatsIn(member as JsonValue));
  const format = isJsonObject(schema) && textOf(schema, "type") === "string" ? textOf(schema, "format") : "";
  return format === "" || formatCheck(format) !== undefined ? below : [format, ...below];
}
