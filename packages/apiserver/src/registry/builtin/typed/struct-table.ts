import type { JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import definitions from "./definitions.json" with { type: "json" };
import { type GoType, parseGoType } from "./go-type.ts";

export interface StructField {
  readonly name: string;
  readonly type: GoType;
  /** Which values its JSON omits: empty ones other than structs, all zero values, or none. */
  readonly omits: "omitempty" | "omitzero" | undefined;
  readonly isRequired: boolean;
  readonly list: { readonly type: "atomic" | "set" | "map"; readonly keys: readonly string[] } | undefined;
  readonly patch: { readonly strategy: string; readonly mergeKey: string | undefined } | undefined;
  readonly mapType: "atomic" | "granular" | undefined;
  readonly default: JsonValue | undefined;
  readonly choices: readonly string[] | undefined;
}

export interface Struct {
  readonly name: string;
  readonly fields: ReadonlyMap<string, StructField>;
  readonly mapType: "atomic" | "granular" | undefined;
}

const structTexts: Readonly<Record<string, Readonly<Record<string, string>>>> = definitions.structs;
const namedTexts: Readonly<Record<string, string>> = definitions.named;
const packages: Readonly<Record<string, string>> = definitions.packages;

const parsed = new Map<string, Struct>();

/** A struct by its short name, such as `core.v1.PodSpec`; loaded on first use. */
export function structOf(name: string): Struct {
  let struct = parsed.get(name);
  if (struct === undefined) {
    struct = parseStruct(name);
    parsed.set(name, struct);
  }
  return struct;
}

export function structNames(): readonly string[] {
  return Object.keys(structTexts);
}

/** The name in OpenAPI documents: `io.k8s.api.core.v1.PodSpec`. */
export function openApiName(name: string): string {
  const dot = name.lastIndexOf(".");
  const folder = packages[name.slice(0, dot)];
  if (folder === undefined) throw new Error(`no package for ${name}`);
  return `${folder}${name.slice(dot)}`;
}

function parseStruct(name: string): Struct {
  const texts = structTexts[name];
  if (texts === undefined) throw new Error(`no struct ${name}`);
  const fields = new Map<string, StructField>();
  for (const [field, text] of Object.entries(texts)) if (field !== "") fields.set(field, parseField(field, text));
  return { name, fields, mapType: mapTypeOf(attributesOf(texts[""] ?? "")) };
}

function parseField(name: string, text: string): StructField {
  const attributes = attributesOf(text);
  const fallback = attributes.get("default");
  const typeText = text.split(" ", 1)[0] as string;
  return {
    name,
    type: parseGoType(typeText, underneath),
    omits: attributes.has("omitzero") ? "omitzero" : attributes.has("omitempty") ? "omitempty" : undefined,
    isRequired: attributes.has("required"),
    list: listOf(attributes.get("list")),
    patch: patchOf(attributes.get("patch")),
    mapType: mapTypeOf(attributes),
    default: fallback === undefined ? undefined : JSON.parse(fallback),
    choices: choicesOf(typeText),
  };
}

function underneath(name: string): string | undefined {
  const text = namedTexts[name];
  if (text === undefined && structTexts[name] === undefined) throw new Error(`no type ${name}`);
  return text?.split(" ", 1)[0];
}

/** The values of an enum, of a field or of list items. */
function choicesOf(typeText: string): readonly string[] | undefined {
  const text = namedTexts[typeText.replace(/^(\*|\[\])/, "")];
  return attributesOf(text ?? "")
    .get("enum")
    ?.split("|");
}

function attributesOf(text: string): ReadonlyMap<string, string> {
  return new Map(
    text.split(" ").map((part) => {
      const equals = part.indexOf("=");
      return equals < 0 ? [part, ""] : [part.slice(0, equals), part.slice(equals + 1)];
    }),
  );
}

function listOf(text: string | undefined): StructField["list"] {
  if (text === undefined) return undefined;
  const [type, keys] = text.split(":");
  return { type: type as "atomic" | "set" | "map", keys: keys?.split(",") ?? [] };
}

function patchOf(text: string | undefined): StructField["patch"] {
  if (text === undefined) return undefined;
  const [strategy = "", mergeKey] = text.split(":");
  return { strategy, mergeKey };
}

function mapTypeOf(attributes: ReadonlyMap<string, string>): "atomic" | "granular" | undefined {
  return attributes.get("map") as "atomic" | "granular" | undefined;
}
