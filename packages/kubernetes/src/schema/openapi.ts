import { withObjectFields } from "./crd.ts";
import type { KindDefinition } from "./kind-definition.ts";
import type { Schema } from "./structural-schema.ts";

const metaPackage = "io.k8s.apimachinery.pkg.apis.meta.v1";

export type OpenApiSchema = Readonly<Record<string, unknown>>;

/** The component schemas that `/openapi/v3` serves for a kind: the object and its list. */
export function openApiSchemas(definition: KindDefinition): Readonly<Record<string, OpenApiSchema>> {
  const { group, version, kind } = definition;
  const name = schemaName(definition);
  const object = withObjectFields(definition.schema);
  return {
    [name]: {
      ...object,
      properties: { ...object.properties, metadata: reference(`${metaPackage}.ObjectMeta`) },
      "x-kubernetes-group-version-kind": [{ group, version, kind }],
    },
    [`${name}List`]: {
      type: "object",
      description: `${kind}List is a list of ${kind}`,
      required: ["items"],
      properties: {
        apiVersion: stringField(object, "apiVersion"),
        kind: stringField(object, "kind"),
        metadata: reference(`${metaPackage}.ListMeta`),
        items: { type: "array", description: `List of ${definition.plural}.`, items: reference(name) },
      },
      "x-kubernetes-group-version-kind": [{ group, version, kind: `${kind}List` }],
    },
  };
}

/** `com.miloapis.quota.v1alpha1.ResourceClaim`: the group backwards, as Kubernetes names the schemas of custom kinds. */
function schemaName({ group, version, kind }: KindDefinition): string {
  return [...group.split(".").reverse(), version, kind].join(".");
}

function stringField(object: Schema, name: string): unknown {
  return object.properties?.[name];
}

function reference(name: string): OpenApiSchema {
  return { allOf: [{ $ref: `#/components/schemas/${name}` }] };
}
