import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { type JsonValue, jsonEquals, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { Definition, DefinitionVersion } from "./definitions/definition.ts";

/**
 * What all versions have in common. Kubernetes stores it once and reports issues there: for a definition of one version
 * they are about `spec.validation` where its author wrote `spec.versions[0].schema`.
 */
export interface CommonVersionParts {
  /** The version to read common parts from. */
  readonly first: DefinitionVersion | undefined;
  readonly isSchemaShared: boolean;
  readonly isSubresourcesShared: boolean;
  readonly isColumnsShared: boolean;
  readonly isSelectableShared: boolean;
}

export function commonVersionParts({ versions }: Definition, raw: readonly JsonObject[]): CommonVersionParts {
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

/** An empty list counts as absent. */
function content(version: JsonObject, field: string): JsonValue {
  const value = ownValue(version, field) ?? null;
  return Array.isArray(value) && value.length === 0 ? null : value;
}
