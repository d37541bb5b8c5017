import { typeFault as jsonFault } from "@milo-quota/kubernetes/protocol/json-type.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { nameItem } from "./list-items.ts";
import type { ListType, MapType, MergeType } from "./merge-type.ts";
import { elementString, fieldElement, indexElement, type PathElement } from "./path-element.ts";
import { memberType, type TypeVariant, variantOf } from "./type-variant.ts";

export type Duplicates = "allowed" | "forbidden";

/** Why a value does not have its type; undefined when it does. */
export function typeFault(type: MergeType, value: JsonValue, duplicates: Duplicates): string | undefined {
  const issues = new TypeCheck(duplicates)
    .visit(type, value)
    .map(({ path, fault }) => (path ? `${path}: ${fault}` : fault));
  if (issues.length < 2) return issues[0];
  return ["errors:", ...issues.map((issue) => `  ${issue}`)].join("\n");
}

interface TypeIssue {
  readonly path: string;
  readonly fault: string;
}

const none: readonly TypeIssue[] = [];

class TypeCheck {
  readonly #duplicates: Duplicates;

  constructor(duplicates: Duplicates) {
    this.#duplicates = duplicates;
  }

  visit(type: MergeType, value: JsonValue): readonly TypeIssue[] {
    const form = variantOf(type, value);
    if (value === null) return none;
    if (form.kind === "scalar") return scalarIssues(form.type, value);
    if (form.kind === "map") {
      return isJsonObject(value) ? this.#visitMap(form.type, value) : issue(jsonFault("map", value));
    }
    return Array.isArray(value) ? this.#visitList(form.type, value) : issue(jsonFault("list", value));
  }

  /** Of undeclared fields, only the first is reported. */
  #visitMap(map: MapType, value: JsonObject): readonly TypeIssue[] {
    const issues: TypeIssue[] = [];
    let undeclared: string | undefined;
    for (const name of Object.keys(value).sort()) {
      const type = memberType(map, name);
      if (type === undefined) undeclared ??= name;
      else issues.push(...below(fieldElement(name), this.visit(type, value[name] as JsonValue)));
    }
    if (undeclared === undefined) return issues;
    return [...issues, ...below(fieldElement(undeclared), issue("field not declared in schema"))];
  }

  #visitList(list: ListType, items: readonly JsonValue[]): readonly TypeIssue[] {
    const seen = new Set<string>();
    const issues: TypeIssue[] = [];
    for (const [index, item] of items.entries()) {
      const name =
        list.kind === "atomic" ? ({ ok: true, element: indexElement(index) } as const) : nameItem(list, item);
      if (!name.ok) return [...issues, ...issue(`element ${index}: ${name.fault}`)];
      if (seen.has(name.element.text) && this.#duplicates === "forbidden") {
        issues.push(...issue(`duplicate entries for key ${elementString(name.element)}`));
      }
      seen.add(name.element.text);
      issues.push(...below(name.element, this.visit(list.items, item)));
    }
    return issues;
  }
}

function scalarIssues(type: (TypeVariant & { kind: "scalar" })["type"], value: JsonValue): readonly TypeIssue[] {
  const isNumber = typeof value === "number" || typeof value === "bigint";
  switch (type) {
    case "numeric":
      return isNumber ? none : issue(jsonFault("numeric (int or float)", value));
    case "string":
      return typeof value === "string" ? none : issue(jsonFault("string", value));
    case "boolean":
      return typeof value === "boolean" ? none : issue(jsonFault("boolean", value));
    case "untyped":
      return typeof value !== "object" ? none : issue(jsonFault("any scalar", value));
    default:
      throw new Error(`unknown scalar ${type satisfies never}`);
  }
}

function issue(fault: string): readonly TypeIssue[] {
  return [{ path: "", fault }];
}

function below(element: PathElement, issues: readonly TypeIssue[]): readonly TypeIssue[] {
  return issues.length === 0 ? none : issues.map(({ path, fault }) => ({ path: elementString(element) + path, fault }));
}
