// Parses Go struct types: field names, types and JSON tags.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface GoField {
  /** Name in JSON; empty for an embedded struct, whose fields are inlined. */
  readonly json: string;
  readonly type: string;
  /** Values that JSON omits: empty values other than structs (omitempty), or all zero values (omitzero). */
  readonly omits: "omitempty" | "omitzero" | undefined;
}

/** The types of one package. Types of other packages have their import path: `k8s.io/api/core/v1.PodSpec`. */
export interface GoPackage {
  readonly structs: ReadonlyMap<string, readonly GoField[]>;
  /** Defined types such as `type PullPolicy string`. */
  readonly named: ReadonlyMap<string, string>;
  /** Values of types that are marked as enums. */
  readonly enums: ReadonlyMap<string, readonly string[]>;
}

const scalars = new Set(["string", "bool", "int", "int32", "int64", "float64", "byte", "error", "interface{}"]);

export function readGoPackage(folder: string, path: string): GoPackage {
  const files = readdirSync(folder).filter((name) => /^(types.*|uid)\.go$/.test(name));
  const structs = new Map<string, readonly GoField[]>();
  const named = new Map<string, string>();
  const enums = new Map<string, readonly string[]>();
  for (const file of files) {
    const source = readFileSync(join(folder, file), "utf8");
    const imports = importsOf(source);
    const qualify = (type: string): string => qualified(type, path, imports);
    for (const [name, body] of structBodies(source)) structs.set(name, fieldsOf(body, qualify));
    for (const [name, type, isAlias] of namedTypes(source)) named.set(name, isAlias ? `=${type}` : qualify(type));
    for (const [name, values] of enumsOf(source)) enums.set(name, values);
  }
  for (const [name, fields] of structs) {
    structs.set(
      name,
      fields.map((field) => ({ ...field, type: withoutAlias(field.type, path, named) })),
    );
  }
  for (const [name, type] of named) if (type.startsWith("=")) named.delete(name);
  return { structs, named, enums };
}

function importsOf(source: string): ReadonlyMap<string, string> {
  const block = /^import \(([\s\S]*?)^\)/m.exec(source)?.[1] ?? "";
  const found = [...block.matchAll(/^\s*(\w+)?\s*"([^"]+)"/gm)];
  return new Map(found.map(([, alias, path = ""]) => [alias ?? (path.split("/").at(-1) as string), path]));
}

function qualified(type: string, path: string, imports: ReadonlyMap<string, string>): string {
  return type.replace(/(\w+\.)?\w+(\{\})?/g, (name: string) => {
    if (scalars.has(name) || name === "map") return name;
    const dot = name.indexOf(".");
    return dot < 0 ? `${path}.${name}` : `${imports.get(name.slice(0, dot))}.${name.slice(dot + 1)}`;
  });
}

function withoutAlias(type: string, path: string, named: ReadonlyMap<string, string>): string {
  return type.replace(/[\w./-]+\.\w+/g, (name) => {
    const target = name.startsWith(`${path}.`) ? named.get(name.slice(path.length + 1)) : undefined;
    return target?.startsWith("=") ? `${path}.${target.slice(1)}` : name;
  });
}

function structBodies(source: string): [name: string, body: string][] {
  const found = source.matchAll(/^type (\w+) struct ?(?:\{\}|\{\n([\s\S]*?)^\})/gm);
  return [...found].map(([, name = "", body = ""]) => [name, body]);
}

function namedTypes(source: string): [name: string, type: string, isAlias: boolean][] {
  const found = source.matchAll(/^(?:type |\t)(\w+) (= )?((?:\[\]|map\[\w+\])?[\w.]+)$/gm);
  return [...found]
    .filter(([line, , , type]) => line.startsWith("type ") && type !== "struct" && type !== "interface")
    .map(([, name = "", alias, type = ""]) => [name, type, alias !== undefined]);
}

function fieldsOf(body: string, qualify: (type: string) => string): GoField[] {
  const fields: GoField[] = [];
  for (const line of body.split("\n")) {
    const match = /^\t(?:\w+\s+)?([\w.*[\]{}]+)\s+`json:"([^"]*)"/.exec(line);
    if (match === null) continue;
    const [, type = "", tag = ""] = match;
    const [json = "", ...options] = tag.split(",");
    if (json === "-") continue;
    const omits = options.includes("omitzero") ? "omitzero" : options.includes("omitempty") ? "omitempty" : undefined;
    fields.push({ json, type: qualify(type), omits });
  }
  return fields;
}

function enumsOf(source: string): [name: string, values: readonly string[]][] {
  const marked = [...source.matchAll(/\/\/ \+enum\n(?:\/\/.*\n)*type (\w+) string/g)].map(([, name = ""]) => name);
  return marked.map((name) => {
    const values = [...source.matchAll(new RegExp(`^\\s*(?:const )?\\w+\\s+${name}\\s*=\\s*"([^"]*)"`, "gm"))];
    return [name, values.map(([, value = ""]) => value).sort()];
  });
}
