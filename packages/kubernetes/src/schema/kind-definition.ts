import type { Schema } from "./structural-schema.ts";

export interface PrinterColumn {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  readonly jsonPath: string;
  readonly description?: string;
  readonly format?: string;
  /** Columns above 0 are shown by `kubectl get -o wide` only. */
  readonly priority?: number;
}

/**
 * The definition of a kind, from which its CustomResourceDefinition, OpenAPI schema and reference page are generated.
 */
export interface KindDefinition {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly scope: "Namespaced" | "Cluster";
  /** The schema of the whole object: `spec`, `status`, and rules; the common fields are added. */
  readonly schema: Schema;
  readonly printerColumns: readonly PrinterColumn[];
  /** Fields that `--field-selector` supports, such as `spec.resourceType`. */
  readonly selectableFields: readonly string[];
}
