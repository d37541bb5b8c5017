import { isJsonObject, type JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { writeJson } from "@milo-quota/kubernetes/protocol/json-writer.ts";
import { type Command, Option } from "commander";
import { stringify } from "yaml";

export interface OutputFlags {
  readonly output: "table" | "json" | "yaml";
}

/** People read tables, in the units they know; programs read JSON or YAML, in base units. */
export function withOutputFlag(command: Command): Command {
  const flag = new Option("-o, --output <form>", "how to print").choices(["table", "json", "yaml"]).default("table");
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
      throw new Error(`unknown form ${output satisfies never}`);
  }
}

/** For people to read, and exact: the engine's own writer of indented JSON knows no bigints. */
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
