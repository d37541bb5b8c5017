import type { ServedKind } from "../../registry/kinds/served-kind.ts";
import type { Component, Components } from "./component.ts";
import { kindComponents } from "./kind-components.ts";

/** Members that version 2 of OpenAPI does not know. */
const newMembers = new Set(["oneOf", "anyOf", "not", "nullable"]);

/** The schemas of all kinds in OpenAPI v2, for tools that ask for nothing newer. Operations are in v3 alone. */
export function swaggerDocument(kinds: readonly ServedKind[]): Readonly<Record<string, unknown>> {
  const versions = grouped(kinds);
  const definitions: Record<string, unknown> = {};
  for (const own of versions.values()) Object.assign(definitions, olderSchemas(kindComponents(own)));
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

/** A schema in the older form: references point to another place, and one beside other members stands bare. */
function olderSchema(schema: Component): Component {
  const converted: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(schema)) {
    if (!newMembers.has(key)) converted[key] = olderMember(key, member);
  }
  const { allOf, ...rest } = converted;
  return Array.isArray(allOf) && allOf.length === 1 ? { ...rest, ...(allOf[0] as Component) } : converted;
}

function olderMember(key: string, member: unknown): unknown {
  switch (key) {
    case "$ref":
      return String(member).replace("#/components/schemas/", "#/definitions/");
    case "properties":
      return olderSchemas(member as Components);
    case "allOf":
      return (member as readonly Component[]).map(olderSchema);
    case "items":
    case "additionalProperties":
      return typeof member === "object" ? olderSchema(member as Component) : member;
    default:
      return member;
  }
}

function olderSchemas(schemas: Components): Components {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, olderSchema(schema)]));
}
