import type { ServedKind } from "../../registry/kinds/served-kind.ts";
import type { Component, Components } from "./component.ts";
import { kindComponents } from "./kind-components.ts";

/** Schema keywords that OpenAPI v2 does not have. */
const newMembers = new Set(["oneOf", "anyOf", "not", "nullable"]);

/** The schemas of all kinds in OpenAPI v2, for older tools. Operations are in v3 only. */
export function swaggerDocument(kinds: readonly ServedKind[]): Readonly<Record<string, unknown>> {
  const versions = grouped(kinds);
  const definitions: Record<string, unknown> = {};
  for (const own of versions.values()) Object.assign(definitions, swaggerSchemas(kindComponents(own)));
  return {
    swagger: "2.0",
    info: { title: "Kubernetes", version: "unversioned" },
    paths: {},
    definitions,
    securityDefinitions: {
      BearerToken: { type: "apiKey", in: "header", name: "authorization", description: "A bearer token." },
    },
    security: [{ BearerToken: [] }],
  };
}

function grouped(kinds: readonly ServedKind[]): Map<string, ServedKind[]> {
  const groups = new Map<string, ServedKind[]>();
  for (const kind of kinds) {
    const key = `${kind.group}/${kind.version}`;
    groups.set(key, [...(groups.get(key) ?? []), kind]);
  }
  return groups;
}

/** Converts a schema to v2: references have another prefix, and no siblings. */
function swaggerSchema(schema: Component): Component {
  const converted: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(schema)) {
    if (!newMembers.has(key)) converted[key] = swaggerMember(key, member);
  }
  const { allOf, ...rest } = converted;
  return Array.isArray(allOf) && allOf.length === 1 ? { ...rest, ...(allOf[0] as Component) } : converted;
}

function swaggerMember(key: string, member: unknown): unknown {
  switch (key) {
    case "$ref":
      return String(member).replace("#/components/schemas/", "#/definitions/");
    case "properties":
      return swaggerSchemas(member as Components);
    case "allOf":
      return (member as readonly Component[]).map(swaggerSchema);
    case "items":
    case "additionalProperties":
      return typeof member === "object" ? swaggerSchema(member as Component) : member;
    default:
      return member;
  }
}

function swaggerSchemas(schemas: Components): Components {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, swaggerSchema(schema)]));
}
