import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { type JsonValue, jsonEquals, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { Definition, DefinitionVersion } from "./definitions/definition.ts";

/**
 * What all versions have in common. Kubernetes keeps it once, and puts the blame there: a definition of one version is
 * told about `spec.validation` where its author wrote `spec.versions[0].schema`.
 */
export interface FoldedSpec {
  /** The version that speaks for all, where they agree in something. */
  readonly first: DefinitionVersion | undefined;
  readonly isSchemaShared: boolean;
  readonly isSubresourcesShared: boolean;
  readonly isColumnsShared: boolean;
  readonly isSelectableShared: boolean;
}

export function foldedSpec({ versions }: Definition, raw: readonly JsonObject[]): FoldedSpec {
  const isShared = (field: string): boolean => raw.every((version) => same(version, raw[0] as JsonObject, field));
  return {
    first: versions[0],
    isSchemaShared: isShared("schema"),
    isSubresourcesShared: isShared("subresources"),
    isColumnsShared: isShared("additionalPrinterColumns"),
    isSelectableShared: isShared("selectableFields"),
  };
}

function same(left: JsonObject, right: JsonObject, field: string): boolean {
  return jsonEquals(content(left, field), content(right, field));
}

/** An empty list is as good as none. */
function content(version: JsonObject, field: string): JsonValue {
  const value = ownValue(version, field) ?? null;
  return Array.isArray(value) && value.length === 0 ? null : value;
}
