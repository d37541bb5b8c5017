import type { ServedKind } from "../../registry/served-kind.ts";
import { kindComponents } from "./kind-components.ts";

/** Members that version 2 of OpenAPI does not know. */
const unknownMembers = new Set(["oneOf", "anyOf", "not", "nullable"]);

/** The schemas of all kinds in OpenAPI v2, for tools that ask for nothing newer. Operations are in v3 alone. */
export function swaggerDocument(kinds: readonly ServedKind[]): Readonly<Record<string, unknown>> {
  const versions = grouped(kinds);
  const definitions: Record<string, unknown> = {};
  for (const own of versions.values()) Object.assign(definitions, older(kindComponents(own)));
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

/** References point to another place, and a reference beside other members stands bare. */
function older(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(older);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([key, member]) => !isNewer(key, member));
  const converted = Object.fromEntries(members.map(([key, member]) => [key, olderMember(key, member)]));
  const { allOf, ...rest } = converted;
  return Array.isArray(allOf) && allOf.length === 1 ? { ...rest, ...(allOf[0] as object) } : converted;
}

function isNewer(key: string, member: unknown): boolean {
  return unknownMembers.has(key) && (Array.isArray(member) || typeof member === "boolean" || key === "not");
}

function olderMember(key: string, member: unknown): unknown {
  if (key === "$ref" && typeof member === "string") return member.replace("#/components/schemas/", "#/definitions/");
  return key === "default" || key === "enum" ? member : older(member);
}
