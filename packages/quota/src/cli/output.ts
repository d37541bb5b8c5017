import { isJsonObject, type JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { writeJson } from "@milo-quota/kubernetes/protocol/json-writer.ts";
import { type Command, Option } from "commander";
import { stringify } from "yaml";

export interface OutputFlags {
  readonly output: "table" | "json" | "yaml";
}

/** Tables show amounts in display units; JSON and YAML have them in base units. */
export function addOutputFlag(command: Command): Command {
  const flag = new Option("-o, --output <format>", "output format").choices(["table", "json", "yaml"]).default("table");
  return command.addOption(flag);
}

export function print({ output }: OutputFlags, table: () => string, value: () => unknown): void {
  switch (output) {
    case "table":
      console.log(table());
      break;
    case "json":
      console.log(jsonText(value() as JsonValue));
      break;
    case "yaml":
      console.log(stringify(value(), { lineWidth: 0 }).trimEnd());
      break;
    default:
      throw new Error(`unknown output format ${output satisfies never}`);
  }
}

/** Indented JSON with exact integers: JSON.stringify does not support bigints. */
export function jsonText(value: JsonValue, indent = ""): string {
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    const items = value.map((item: JsonValue) => `${inner}${jsonText(item, inner)}`);
    return items.length === 0 ? "[]" : `[\n${items.join(",\n")}\n${indent}]`;
  }
  if (!isJsonObject(value)) return writeJson(value);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([key, member]) => `${inner}${JSON.stringify(key)}: ${jsonText(member, inner)}`);
  return members.length === 0 ? "{}" : `{\n${members.join(",\n")}\n${indent}}`;
}
