import type { KindDefinition } from "@milo-quota/kubernetes/schema/kind-definition.ts";
import type { Schema } from "@milo-quota/kubernetes/schema/structural-schema.ts";
import {
  groupSchema,
  kindSchema,
  nameSchema,
  namespaceSchema,
} from "../packages/quota/src/core/resources/fields/consumer-ref.ts";
import { dimensionValueSchema } from "../packages/quota/src/core/resources/fields/dimensions.ts";
import { resourceTypeSchema } from "../packages/quota/src/core/resources/fields/resource-type-schema.ts";

export interface ReferenceSources {
  /** Folder that declares the kind. */
  readonly source: string;
  /** A manifest of the kind, as YAML. */
  readonly example: string;
}

const notice = (source: string): string => `<!-- Generated from ${source} by \`npm run generate\`. Do not edit. -->\n`;

/** The reference page of a kind: its purpose, an example manifest, all fields, all rules. */
export function referencePage(kind: KindDefinition, { source, example }: ReferenceSources): string {
  const names = kind.shortNames.map((name) => `, short \`${name}\``).join("");
  const selectors = kind.selectableFields.map((field) => `\`${field}\``).join(", ");
  return [
    notice(source),
    `# ${kind.kind}`,
    "",
    kind.schema.description ?? "",
    "",
    `| | |\n|---|---|`,
    `| apiVersion | \`${kind.group}/${kind.version}\` |`,
    `| resource | \`${kind.plural}\`${names} |`,
    `| scope | ${kind.scope === "Cluster" ? "cluster" : "namespace"} |`,
    `| field selectors | ${selectors} |`,
    "",
    "## Example",
    "",
    "```yaml",
    example.trimEnd(),
    "```",
    "",
    ...Object.entries(kind.schema.properties ?? {}).flatMap(([name, schema]) => section(name, schema)),
  ].join("\n");
}

export function referenceIndex(title: string, kinds: readonly KindDefinition[], source: string): string {
  const rows = kinds.map((kind) => `| [${kind.kind}](${kind.singular}.md) | ${kind.schema.description ?? ""} |`);
  return [notice(source), `# ${title}`, "", "| kind | description |", "|---|---|", ...rows, ""].join("\n");
}

function section(name: string, schema: Schema): string[] {
  const rules = rulesBelow(name, schema);
  return [
    `## ${name}`,
    "",
    ...(schema.description === undefined ? [] : [schema.description, ""]),
    "| field | type | description |",
    "|---|---|---|",
    ...rows(name, schema),
    "",
    ...(rules.length === 0 ? [] : ["Rules:", "", ...rules, ""]),
  ];
}

function rows(path: string, schema: Schema): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, child]) => {
    const isRequired = schema.required?.includes(name) === true;
    const at = `${path}.${name}`;
    return [row(at, child, isRequired), ...below(at, child)];
  });
}

function below(path: string, schema: Schema): string[] {
  if (schema.items !== undefined) return rows(`${path}[]`, schema.items);
  return rows(path, schema);
}

function row(path: string, schema: Schema, isRequired: boolean): string {
  const notes = [isRequired ? "**Required.**" : "", schema.description ?? "", ...limits(schema)].filter(
    (note) => note !== "",
  );
  return `| \`${path}\` | ${typeName(schema)} | ${notes.join(" ").replaceAll("|", "\\|")} |`;
}

function typeName(schema: Schema): string {
  if (schema.items !== undefined) return `${typeName(schema.items)}[]`;
  if (typeof schema.additionalProperties === "object") return `map of ${typeName(schema.additionalProperties)}`;
  return schema.format === undefined ? (schema.type ?? "any") : `${schema.type} (${schema.format})`;
}

function limits(schema: Schema): string[] {
  const values =
    schema.items ?? (typeof schema.additionalProperties === "object" ? schema.additionalProperties : schema);
  const notes: string[] = [];
  if (values.enum !== undefined) notes.push(`One of ${values.enum.map((choice) => `\`${choice}\``).join(", ")}.`);
  if (schema.default !== undefined) notes.push(`Default \`${JSON.stringify(schema.default)}\`.`);
  notes.push(range("items", schema.minItems, schema.maxItems));
  notes.push(range("entries", schema.minProperties, schema.maxProperties));
  notes.push(range("characters", values.minLength, values.maxLength));
  if (values.minimum !== undefined) notes.push(`At least ${values.minimum}.`);
  if (values.pattern !== undefined) notes.push(patternText(values.pattern));
  const keys = schema["x-kubernetes-list-map-keys"];
  if (keys !== undefined) notes.push(`Keyed by ${keys.map((key) => `\`${key}\``).join(" and ")}.`);
  return notes;
}

/** Descriptions to show in place of patterns. */
const namedPatterns: Readonly<Record<string, string>> = {
  [groupSchema.pattern]: "A DNS subdomain, or empty.",
  [kindSchema.pattern]: "Letters and digits.",
  [nameSchema.pattern]: "No `/` and no `%`, and neither `.` nor `..`.",
  [namespaceSchema.pattern]: "A DNS label, or empty.",
  [dimensionValueSchema.pattern]: "A label value.",
  [resourceTypeSchema.pattern]: "Printable ASCII without spaces.",
};

function patternText(pattern: string): string {
  return namedPatterns[pattern] ?? `Matches \`${pattern}\`.`;
}

function range(what: string, min: number | undefined, max: number | undefined): string {
  if (min !== undefined && max !== undefined) return `${min} to ${max} ${what}.`;
  if (max !== undefined) return `At most ${max} ${what}.`;
  return min === undefined ? "" : `At least ${min} ${what}.`;
}

function rulesBelow(path: string, schema: Schema): string[] {
  const own = (schema["x-kubernetes-validations"] ?? []).map((rule) => `- \`${path}\`: ${rule.message ?? rule.rule}`);
  const properties = Object.entries(schema.properties ?? {}).flatMap(([name, child]) =>
    rulesBelow(`${path}.${name}`, child),
  );
  const items = schema.items === undefined ? [] : rulesBelow(`${path}[]`, schema.items);
  return [...own, ...properties, ...items].filter((rule) => !rule.includes("is not a field of this version"));
}
