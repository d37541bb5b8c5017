import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  nullable,
  stringType,
  type Type,
  timestampType,
} from "./cel-type.ts";
import { propertiesType } from "./escape-identifier.ts";

/** The parts of a structural schema that types depend on. */
export interface SchemaShape {
  readonly type?: string;
  readonly format?: string;
  readonly nullable?: boolean;
  readonly properties?: Readonly<Record<string, SchemaShape>>;
  readonly additionalProperties?: SchemaShape | boolean;
  readonly items?: SchemaShape;
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
}

const formats: Readonly<Record<string, Type>> = {
  "date-time": timestampType,
  datetime: timestampType,
  date: timestampType,
  duration: durationType,
  byte: bytesType,
};

/** The type of a custom resource in rules: `self.spec.replicas` is an int because its schema says so. */
export function schemaType(schema: SchemaShape, name = "object"): Type {
  const type = bareType(schema, name);
  return schema.nullable === true ? nullable(type) : type;
}

function bareType(schema: SchemaShape, name: string): Type {
  if (schema["x-kubernetes-int-or-string"] === true) return dynType;
  switch (schema.type) {
    case "object":
      return objectShape(schema, name);
    case "array":
      return listType(schemaType(schema.items ?? {}, `${name}.@idx`));
    case "string":
      return formats[schema.format ?? ""] ?? stringType;
    case "integer":
      return intType;
    case "number":
      return doubleType;
    case "boolean":
      return boolType;
    default:
      return dynType;
  }
}

/** Undeclared fields are not accessible. */
function objectShape(schema: SchemaShape, name: string): Type {
  const { additionalProperties, properties = {} } = schema;
  if (typeof additionalProperties === "object") {
    return mapType(stringType, schemaType(additionalProperties, `${name}.@elem`));
  }
  const fields = Object.entries(properties).map(([key, child]) => [key, schemaType(child, `${name}.${key}`)] as const);
  return propertiesType(name, Object.fromEntries(fields));
}
