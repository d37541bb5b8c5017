import { isJsonObject, type JsonObject, type JsonValue, ownValue } from "../protocol/json-value.ts";
import {
  boolType,
  dynType,
  intType,
  jsonObjectType,
  listType,
  mapType,
  nullable,
  stringType,
  type Type,
} from "./cel-type.ts";

/** Schemas by the text of their `$ref`. */
export type ResolveReference = (reference: string) => JsonObject | undefined;

/**
 * The type of JSON that fits an OpenAPI schema, for expressions that are evaluated on the JSON itself: fields have their own
 * names, objects can be used as maps, and times are strings. Numbers, values of several types and values without a schema are
 * dynamic, because their type is only known at run time.
 */
export function jsonType(schema: JsonObject, resolve: ResolveReference): Type {
  return new JsonTypes(resolve).of(schema, "object");
}

/** Deeper schemas are dynamic. */
const depthMax = 64;

class JsonTypes {
  readonly #resolve: ResolveReference;
  /** Undefined while the type is being built, so that a schema that refers to itself ends. */
  readonly #referenced = new Map<string, Type | undefined>();
  #depth = 0;

  constructor(resolve: ResolveReference) {
    this.#resolve = resolve;
  }

  of(schema: JsonValue | undefined, name: string): Type {
    if (!isJsonObject(schema) || this.#depth >= depthMax) return dynType;
    const reference = referenceOf(schema);
    if (reference !== undefined) return this.#ofReference(reference);
    this.#depth += 1;
    const type = this.#bare(schema, name);
    this.#depth -= 1;
    return ownValue(schema, "nullable") === true ? orNull(type) : type;
  }

  #ofReference(reference: string): Type {
    if (this.#referenced.has(reference)) return this.#referenced.get(reference) ?? dynType;
    this.#referenced.set(reference, undefined);
    const type = this.of(this.#resolve(reference), reference.slice(reference.lastIndexOf(".") + 1));
    this.#referenced.set(reference, type);
    return type;
  }

  #bare(schema: JsonObject, name: string): Type {
    if (ownValue(schema, "x-kubernetes-int-or-string") === true) return dynType;
    switch (ownValue(schema, "type")) {
      case "object":
        return this.#object(schema, name);
      case "array":
        return listType(this.of(ownValue(schema, "items"), name));
      case "string":
        return stringType;
      case "integer":
        return intType;
      case "boolean":
        return boolType;
      default:
        return dynType;
    }
  }

  #object(schema: JsonObject, name: string): Type {
    const values = ownValue(schema, "additionalProperties");
    if (isJsonObject(values)) return mapType(stringType, this.of(values, name));
    const properties = ownValue(schema, "properties");
    if (!isJsonObject(properties)) return dynType;
    const fields = Object.entries(properties).map(([field, child]) => [field, this.of(child, field)] as const);
    const isOpen = values === true || openings.some((opening) => ownValue(schema, opening) === true);
    return jsonObjectType(name, Object.fromEntries(fields), isOpen);
  }
}

/** Objects with one of these may have fields that their schema does not declare. */
const openings = ["x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"] as const;

/** OpenAPI wraps a reference in `allOf` to give it a default or a description. */
function referenceOf(schema: JsonObject): string | undefined {
  const all = ownValue(schema, "allOf");
  const [only, ...others] = Array.isArray(all) ? all : [schema];
  const reference = others.length === 0 && isJsonObject(only) ? ownValue(only, "$ref") : undefined;
  return typeof reference === "string" ? reference : undefined;
}

/** Only primitives have a type that includes null. */
function orNull(type: Type): Type {
  const wrapped = nullable(type);
  return wrapped === type ? dynType : wrapped;
}
