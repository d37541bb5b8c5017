import { type FieldIssue, itemPath, required } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { namedSchemas, subschema, subschemas } from "./raw-schema.ts";

/** A path in the structural schema, and the path below a junctor that refers to it. */
interface SchemaPair {
  readonly spine: JsonObject | undefined;
  readonly spinePath: string;
  readonly path: string;
}

/** Everything below a junctor must also be specified outside of it. */
export function completenessIssues(schema: JsonObject, path: string): readonly FieldIssue[] {
  return junctorIssues(schema, { spine: schema, spinePath: path, path });
}

function junctorIssues(schema: JsonObject, spot: SchemaPair): readonly FieldIssue[] {
  const not = subschema(schema, "not");
  return [
    ...(not === undefined ? [] : nestedIssues(not, { ...spot, path: `${spot.path}.not` })),
    ...["allOf", "anyOf", "oneOf"].flatMap((junctor) =>
      subschemas(schema, junctor).flatMap((branch, index) =>
        nestedIssues(branch, { ...spot, path: `${spot.path}.${junctor}[${index}]` }),
      ),
    ),
  ];
}

function nestedIssues(schema: JsonObject, spot: SchemaPair): readonly FieldIssue[] {
  const { spine, spinePath, path } = spot;
  if (spine === undefined) return [required(spinePath, `because it is defined in ${path}`)];
  const items = subschema(schema, "items");
  return [
    ...junctorIssues(schema, spot),
    ...(items === undefined
      ? []
      : nestedIssues(items, {
          spine: subschema(spine, "items"),
          spinePath: `${spinePath}.items`,
          path: `${path}.items`,
        })),
    ...namedSchemas(schema, "properties").flatMap(([name, child]) =>
      nestedIssues(child, {
        spine: subschema(subschema(spine, "properties") ?? {}, name),
        spinePath: itemPath(`${spinePath}.properties`, name),
        path: itemPath(`${path}.properties`, name),
      }),
    ),
  ];
}
