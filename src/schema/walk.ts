import { duplicate, type FieldIssue, invalid, required } from "../protocol/field-issue.ts";
import { isJsonObject, type JsonObject, type JsonValue, setOwn } from "../protocol/json-value.ts";
import { type CompiledSchema, defaultOf, type Junctors } from "./compiled-schema.ts";
import {
  enumIssues,
  itemCountIssues,
  numberIssues,
  type Place,
  propertyCountIssues,
  repeatedItems,
  stringIssues,
  typeIssue,
} from "./value-checks.ts";

/** What one walk over a value found and made. */
export interface Walked {
  /** The value with defaults filled in and unknown fields gone; the very same one when nothing changed. */
  readonly value: JsonValue;
  readonly issues: readonly FieldIssue[];
  /** The paths of fields that no schema names; they are not in `value`. */
  readonly unknownFields: readonly string[];
}

/** The fields every object has; their content is not for the schema of a kind to say. */
const objectFields = new Set(["apiVersion", "kind", "metadata"]);

/** Validates, defaults and prunes a whole object in one pass. Nulls where none may be count as left out. */
export function walkObject(compiled: CompiledSchema, value: JsonValue): Walked {
  return new Walk("all", true).run(compiled, value);
}

/** The same for a part of an object. */
export function walkValue(compiled: CompiledSchema, value: JsonValue): Walked {
  return new Walk("all", false).run(compiled, value);
}

type Effort = "all" | "validate";

class Walk implements Place {
  readonly #issues: FieldIssue[] = [];
  readonly #unknown: string[] = [];
  readonly #path: (string | number)[] = [];
  readonly #effort: Effort;
  readonly #isWholeObject: boolean;

  constructor(effort: Effort, isWholeObject: boolean) {
    this.#effort = effort;
    this.#isWholeObject = isWholeObject;
  }

  run(compiled: CompiledSchema, value: JsonValue): Walked {
    const walked = this.#visit(compiled, value);
    return { value: walked, issues: this.#issues, unknownFields: this.#unknown };
  }

  #visit(compiled: CompiledSchema, value: JsonValue): JsonValue {
    if (value === null && compiled.schema.nullable === true) {
      this.#report(enumIssues(compiled, value, this));
      return value;
    }
    const mismatch = typeIssue(compiled, value, this);
    if (mismatch !== undefined) {
      this.#issues.push(mismatch);
      return value;
    }
    const walked = this.#visitTyped(compiled, value);
    this.#report(enumIssues(compiled, walked, this));
    if (compiled.junctors !== undefined) this.#checkJunctors(compiled.junctors, walked);
    return walked;
  }

  #visitTyped(compiled: CompiledSchema, value: JsonValue): JsonValue {
    switch (typeof value) {
      case "string":
        this.#report(stringIssues(compiled, value, this));
        return value;
      case "number":
      case "bigint":
        this.#report(numberIssues(compiled, value, this));
        return value;
      default:
        if (Array.isArray(value)) return this.#visitArray(compiled, value);
        return isJsonObject(value) ? this.#visitObject(compiled, value) : value;
    }
  }

  #visitArray(compiled: CompiledSchema, items: readonly JsonValue[]): JsonValue {
    this.#report(itemCountIssues(compiled, items.length, this));
    const { items: itemSchema } = compiled;
    if (itemSchema === undefined) return items;
    let changed: JsonValue[] | undefined;
    for (let index = 0; index < items.length; index += 1) {
      const item = items[index] as JsonValue;
      const walked = this.#at(index, () => this.#visit(itemSchema, item));
      if (walked === item) continue;
      changed ??= [...items];
      changed[index] = walked;
    }
    const result = changed ?? items;
    for (const [index, value] of repeatedItems(compiled, result)) {
      this.#at(index, () => this.#issues.push(duplicate(this.pathText(), value)));
    }
    return result;
  }

  #visitObject(compiled: CompiledSchema, object: JsonObject): JsonValue {
    const draft = new ObjectDraft(object);
    for (const key of Object.keys(object)) this.#visitField(compiled, key, draft);
    if (this.#effort === "all") this.#fillDefaults(compiled, draft);
    this.#report(propertyCountIssues(compiled, Object.keys(draft.result()).length, this));
    for (const name of compiled.required) {
      if (!draft.has(name)) this.#at(name, () => this.#issues.push(required(this.pathText())));
    }
    return draft.result();
  }

  #visitField(compiled: CompiledSchema, key: string, draft: ObjectDraft): void {
    const value = draft.original[key] as JsonValue;
    const child = compiled.properties.get(key) ?? compiled.additional;
    if (child === true) return;
    if (objectFields.has(key) && this.#isObject(compiled)) {
      if (child !== undefined) this.#at(key, () => this.#report(this.#issuesOf(child, value)));
    } else if (child === undefined) {
      if (this.#effort === "all") this.#dropUnknown(key, draft);
    } else if (value === null && child.schema.nullable !== true && this.#effort === "all") {
      draft.remove(key);
    } else {
      draft.set(
        key,
        this.#at(key, () => this.#visit(child, value)),
      );
    }
  }

  /** Whether apiVersion, kind and metadata belong here: in the object itself, and in one embedded in it. */
  #isObject({ schema }: CompiledSchema): boolean {
    return schema["x-kubernetes-embedded-resource"] === true || (this.#isWholeObject && this.#path.length === 0);
  }

  #dropUnknown(key: string, draft: ObjectDraft): void {
    this.#at(key, () => this.#unknown.push(this.pathText()));
    draft.remove(key);
  }

  #fillDefaults(compiled: CompiledSchema, draft: ObjectDraft): void {
    for (const name of compiled.defaults) {
      const child = compiled.properties.get(name);
      const value = child === undefined ? undefined : defaultOf(child);
      if (child === undefined || value === undefined || draft.has(name)) continue;
      draft.set(
        name,
        this.#at(name, () => this.#visit(child, value)),
      );
    }
  }

  #checkJunctors({ allOf, anyOf, oneOf, not }: Junctors, value: JsonValue): void {
    const path = this.pathText();
    const fits = (schema: CompiledSchema): boolean => this.#issuesOf(schema, value).length === 0;
    for (const schema of allOf) this.#report(this.#issuesOf(schema, value));
    if (anyOf.length > 0 && !anyOf.some(fits)) this.#fail(`${path} in body must validate at least one schema (anyOf)`);
    const oneOfFits = oneOf.filter(fits).length;
    if (oneOf.length > 0 && oneOfFits !== 1) {
      const found = oneOfFits === 0 ? "Found none valid" : `Found ${oneOfFits} valid alternatives`;
      this.#fail(`${path} in body must validate one and only one schema (oneOf). ${found}`);
    }
    if (not !== undefined && fits(not)) this.#fail(`${path} in body must not validate the schema (not)`);
  }

  #issuesOf(schema: CompiledSchema, value: JsonValue): readonly FieldIssue[] {
    const walk = new Walk("validate", this.#isWholeObject);
    walk.#path.push(...this.#path);
    return walk.run(schema, value).issues;
  }

  #report(issues: readonly FieldIssue[]): void {
    for (const issue of issues) this.#issues.push(issue);
  }

  #fail(detail: string): void {
    this.#issues.push(invalid(this.pathText(), "", detail));
  }

  #at<Result>(step: string | number, visit: () => Result): Result {
    this.#path.push(step);
    const result = visit();
    this.#path.pop();
    return result;
  }

  pathText(): string {
    let text = "";
    for (const step of this.#path) {
      if (typeof step === "number") text += `[${step}]`;
      else text += text === "" ? step : `.${step}`;
    }
    return text;
  }
}

/** An object that is copied on its first change. */
class ObjectDraft {
  readonly original: JsonObject;
  #copy: Record<string, JsonValue> | undefined;

  constructor(original: JsonObject) {
    this.original = original;
  }

  has(key: string): boolean {
    return Object.hasOwn(this.#copy ?? this.original, key);
  }

  set(key: string, value: JsonValue): void {
    if (this.has(key) && (this.#copy ?? this.original)[key] === value) return;
    this.#copy ??= { ...this.original };
    setOwn(this.#copy, key, value);
  }

  remove(key: string): void {
    this.#copy ??= { ...this.original };
    delete this.#copy[key];
  }

  result(): JsonObject {
    return this.#copy ?? this.original;
  }
}
