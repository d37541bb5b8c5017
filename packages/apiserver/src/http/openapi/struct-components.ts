import { fieldDescription, structDescription } from "../../registry/builtin/descriptions.ts";
import { type GoType, pointee } from "../../registry/builtin/typed/go-type.ts";
import { scalarSchemas } from "../../registry/builtin/typed/struct-schema.ts";
import { openApiName, type StructField, structOf } from "../../registry/builtin/typed/struct-table.ts";
import { type Component, described, reference } from "./component.ts";

/** Types with a JSON encoding of their own. */
const opaque: Readonly<Record<string, Component>> = {
  "meta.v1.Time": { type: "string", format: "date-time", description: "A moment, to the second, in RFC 3339." },
  "meta.v1.MicroTime": {
    type: "string",
    format: "date-time",
    description: "A moment, to the microsecond, in RFC 3339.",
  },
  "meta.v1.FieldsV1": { type: "object", description: "A set of fields, as a tree of their names." },
  "resource.Quantity": {
    oneOf: [{ type: "string" }, { type: "number" }],
    description: "An amount, with a suffix or an exponent: 500m, 1.5, 2Gi, 1e3.",
  },
  "intstr.IntOrString": {
    oneOf: [{ type: "integer" }, { type: "string" }],
    format: "int-or-string",
    description: "A number, or a text that stands for one.",
  },
  "runtime.RawExtension": { type: "object", description: "Any object." },
  "apiextensions.v1.JSON": { description: "Any JSON." },
  "apiextensions.v1.JSONSchemaPropsOrBool": { description: "A schema, or whether anything is allowed." },
  "apiextensions.v1.JSONSchemaPropsOrArray": { description: "A schema, or a list of them." },
  "apiextensions.v1.JSONSchemaPropsOrStringArray": { description: "A schema, or a list of names." },
};

/** The schemas of structs and of all structs they refer to, by name. */
export function structComponents(roots: Iterable<string>): Record<string, Component> {
  const components: Record<string, Component> = {};
  const waiting = [...roots];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const key = openApiName(name);
    if (key in components) continue;
    components[key] = opaque[name] ?? structComponent(name, (used) => waiting.push(used));
  }
  return components;
}

function structComponent(name: string, use: (struct: string) => void): Component {
  const { fields, mapType } = structOf(name);
  const required = [...fields.values()].filter(({ isRequired }) => isRequired).map((field) => field.name);
  const description = structDescription(name);
  return {
    type: "object",
    ...(description === undefined ? {} : { description }),
    ...(required.length === 0 ? {} : { required }),
    properties: Object.fromEntries([...fields].map(([key, field]) => [key, fieldComponent(name, field, use)])),
    ...(mapType === undefined ? {} : { "x-kubernetes-map-type": mapType }),
  };
}

function fieldComponent(struct: string, field: StructField, use: (struct: string) => void): Component {
  const { list, patch, mapType, default: fallback, choices, type } = field;
  const description = fieldDescription(struct, field.name);
  const isList = pointee(type).form === "slice";
  const facts = {
    ...(fallback === undefined ? {} : { default: fallback }),
    ...(choices === undefined || isList ? {} : { enum: choices }),
    ...(list === undefined ? {} : { "x-kubernetes-list-type": list.type }),
    ...(list === undefined || list.keys.length === 0 ? {} : { "x-kubernetes-list-map-keys": list.keys }),
    ...(patch === undefined ? {} : { "x-kubernetes-patch-strategy": patch.strategy }),
    ...(patch?.mergeKey === undefined ? {} : { "x-kubernetes-patch-merge-key": patch.mergeKey }),
    ...(mapType === undefined ? {} : { "x-kubernetes-map-type": mapType }),
  };
  const named = namedType(pointee(type));
  if (named !== undefined) {
    use(named);
    return described(openApiName(named), description, facts);
  }
  return { ...typeComponent(type, use), ...(description === undefined ? {} : { description }), ...facts };
}

function namedType(type: GoType): string | undefined {
  return type.form === "struct" || type.form === "opaque" ? type.name : undefined;
}

function typeComponent(type: GoType, use: (struct: string) => void): Component {
  switch (type.form) {
    case "struct":
    case "opaque":
      use(type.name);
      return reference(openApiName(type.name));
    case "pointer":
      return typeComponent(type.of, use);
    case "slice":
      return { type: "array", items: typeComponent(type.of, use) };
    case "map":
      return { type: "object", additionalProperties: typeComponent(type.of, use) };
    default:
      return scalarSchemas[type.form];
  }
}
