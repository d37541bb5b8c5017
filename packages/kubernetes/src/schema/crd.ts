import type { KindDefinition } from "./kind-definition.ts";
import type { Schema } from "./structural-schema.ts";

const apiVersionDescription =
  "The version of this representation. A server may reject versions it does not know, and converts among those it does.";
const kindDescription = "The kind of object this is, in CamelCase.";

/** The CustomResourceDefinition of a kind. */
export function crdOf(definition: KindDefinition): Readonly<Record<string, unknown>> {
  const { group, version, kind, plural, singular, shortNames, categories, scope } = definition;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: { kind, listKind: `${kind}List`, plural, singular, shortNames, categories },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: definition.printerColumns,
          selectableFields: definition.selectableFields.map((field) => ({ jsonPath: `.${field}` })),
          schema: { openAPIV3Schema: withObjectFields(definition.schema) },
        },
      ],
    },
  };
}

/** A kind's schema with the common fields, as plain JSON. */
export function withObjectFields(schema: Schema): Schema {
  const emitted = plain(schema) as Schema;
  return {
    ...emitted,
    properties: {
      apiVersion: { type: "string", description: apiVersionDescription },
      kind: { type: "string", description: kindDescription },
      metadata: { type: "object" },
      ...emitted.properties,
    },
  };
}

/** Without the TypeScript versions of rules. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => typeof member !== "function");
  return Object.fromEntries(members.map(([key, member]) => [key, plain(member)]));
}
