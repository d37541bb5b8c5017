import { type Field, fieldsType, type Type } from "./cel-type.ts";
import { keywords, reservedWords } from "./syntax/lexer-token.ts";
import type { JsonObject } from "./values/value.ts";

const spelled: Readonly<Record<string, string>> = {
  __: "__underscores__",
  ".": "__dot__",
  "-": "__dash__",
  "/": "__slash__",
};

function isReserved(name: string): boolean {
  return keywords.has(name) || reservedWords.has(name);
}

/**
 * The name of a property in expressions, as in Kubernetes: `my-field` is written `my__dash__field`, and `namespace`, a
 * reserved word, `__namespace__`. Undefined if the property cannot be written as a name.
 */
export function escapeIdentifier(property: string): string | undefined {
  if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(property)) return undefined;
  if (isReserved(property)) return `__${property}__`;
  return property.replace(/__|[./-]/g, (found) => spelled[found] ?? found);
}

/** The type of an object by the properties of its schema, under their escaped names. */
export function propertiesType(name: string, properties: Readonly<Record<string, Type>>): Type<JsonObject> {
  const fields = new Map<string, Field>();
  for (const [property, type] of Object.entries(properties)) {
    const identifier = escapeIdentifier(property);
    if (identifier !== undefined) fields.set(identifier, { type, property });
  }
  return fieldsType(name, fields);
}
