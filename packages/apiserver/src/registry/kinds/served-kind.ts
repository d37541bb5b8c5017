import type { FieldIssue } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { NameRule } from "@milo-quota/kubernetes/protocol/names.ts";
import type { CompiledSchema } from "@milo-quota/kubernetes/schema/compiled-schema.ts";
import type { PrinterColumn } from "@milo-quota/kubernetes/schema/kind-definition.ts";
import type { Scaling } from "../scale/scaling.ts";
import type { ApiObject } from "./api-object.ts";

/** One served version of a kind, built-in or from a CustomResourceDefinition. */
export interface ServedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly scope: "Namespaced" | "Cluster";
  /** The storage version; other versions differ by `apiVersion` only. */
  readonly storageVersion: string;
  /** Schema of the whole object, for validation, defaulting and pruning; metadata is validated separately. */
  readonly schema: CompiledSchema;
  /** Whether it is a custom resource: unknown fields, `fieldValidation` and error texts differ a little. */
  readonly isCustom: boolean;
  /**
   * Has a status subresource: writes to the object keep the stored status, writes to the status keep everything else.
   */
  readonly hasStatus: boolean;
  /** The scale subresource, if any. */
  readonly scale?: Scaling | undefined;
  /** Whether `metadata.generation` counts changes outside of metadata and status. */
  readonly hasGeneration: boolean;
  readonly verbs: readonly Verb[];
  readonly nameRule: NameRule;
  readonly columns: readonly Column[];
  /** Fields besides metadata.name and metadata.namespace that field selectors support. */
  readonly selectableFields: readonly string[];
  readonly rules: KindRules;
  /** The first revision with this schema; objects written before are defaulted and pruned when read. */
  readonly schemaRevision?: number;
  /** The resource under which objects are stored, if it is another one. */
  readonly storedAs?: string;
  /** Conversion to and from the stored form, if more than `apiVersion` differs. */
  readonly storage?: {
    readonly toStored: (object: ApiObject) => ApiObject;
    readonly fromStored: (object: ApiObject) => ApiObject;
  };
  /**
   * Why an object does not decode into the Go type of a built-in kind: the message of a 400. To be checked for every
   * object that a client sends or a patch produces, before anything else. For these kinds the issues of a walk over
   * `schema` do not count: this and the rules report everything.
   */
  readonly decodeIssue?: (object: JsonObject) => string | undefined;
  /** A hint to add to the error or warning about an unknown field, such as the field's current name. */
  readonly unknownFieldHint?: ((field: string) => string | undefined) | undefined;
  /** Whether an update may omit the resourceVersion, and then overwrites any version. */
  readonly updatesUnconditionally?: boolean;
  /** Whether an update creates a missing object. */
  readonly createsOnUpdate?: boolean;
  /** Sent with every response in this version. */
  readonly deprecationWarning?: string | undefined;
  /** Whether its definition is terminating: no more objects can be created. */
  readonly isTerminating?: boolean;
  /** Whether a delete responds with the object instead of a Status. */
  readonly returnsDeleted?: boolean;
}

/** The subresource that a write is for; empty for the object itself. */
export type WrittenSubresource = "" | "status" | "finalize" | "scale";

export type Verb = "create" | "delete" | "deletecollection" | "get" | "list" | "patch" | "update" | "watch";

/**
 * A column of `kubectl get`: by JSONPath, or computed for built-in kinds. Built-in kinds list all columns including
 * `Name`; custom kinds only those after it.
 */
export type Column = PrinterColumn & {
  readonly read?: (object: ApiObject, nowMs: number) => string | number | boolean;
};

/** The strategy of a kind. All parts are optional. */
export interface KindRules {
  /** The empty object: `{ spec: {} }` for most built-in kinds. */
  readonly blank?: () => JsonObject;
  /** Canonicalizes and defaults an object that a client sent or a patch produced. */
  readonly read?: (object: ApiObject) => ApiObject;
  /** Changes a new object before validation, such as `stringData` of a Secret. */
  readonly prepareCreate?: (object: ApiObject) => ApiObject;
  /** The same for an update; `old` is the stored object, and the subresource is empty for the object itself. */
  readonly prepareUpdate?: (object: ApiObject, old: ApiObject, subresource?: WrittenSubresource) => ApiObject;
  /** The object after a first delete request, for kinds that are not removed at once. */
  readonly prepareDelete?: (object: ApiObject, now: string) => ApiObject;
  /** Validation beyond the schema. Undefined `old`: a create. */
  readonly validate?: (
    object: ApiObject,
    old: ApiObject | undefined,
    subresource?: WrittenSubresource,
  ) => readonly FieldIssue[];
  /** Warnings about an accepted object, sent as headers. */
  readonly warnings?: (object: ApiObject, old: ApiObject | undefined) => readonly string[];
  /** Fields that selectors do not read by path. */
  readonly selectField?: (object: ApiObject, field: string) => string | undefined;
}
