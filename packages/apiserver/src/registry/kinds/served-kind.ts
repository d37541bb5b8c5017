import type { FieldIssue } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { NameRule } from "@milo-quota/kubernetes/protocol/names.ts";
import type { CompiledSchema } from "@milo-quota/kubernetes/schema/compiled-schema.ts";
import type { PrinterColumn } from "@milo-quota/kubernetes/schema/kind-definition.ts";
import type { Scaling } from "../scale/scaling.ts";
import type { ApiObject } from "./api-object.ts";

/** One version of a kind as this server serves it, built in or made from a CustomResourceDefinition. */
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
  /** The version that objects are stored in; another one differs in `apiVersion` alone. */
  readonly storageVersion: string;
  /** Of the whole object. Walking it validates, defaults and prunes; metadata has rules of its own. */
  readonly schema: CompiledSchema;
  /** Whether a custom resource: unknown fields, `fieldValidation` and error wording differ a little. */
  readonly isCustom: boolean;
  /** Served under `/status`: writes of the object keep the stored status, writes of the status all else. */
  readonly hasStatus: boolean;
  /** Served under `/scale`, as a Scale. Left out: not at all. */
  readonly scale?: Scaling | undefined;
  /** Whether `metadata.generation` counts changes of everything but metadata and status. */
  readonly hasGeneration: boolean;
  readonly verbs: readonly Verb[];
  readonly nameRule: NameRule;
  readonly columns: readonly Column[];
  /** Fields besides metadata.name and metadata.namespace that a field selector may name. */
  readonly selectableFields: readonly string[];
  readonly rules: KindRules;
  /** The first revision at which this schema held; objects written before are defaulted and pruned when read. */
  readonly schemaRevision?: number;
  /** The resource whose objects these are, when it is not this one. */
  readonly storedAs?: string;
  /** How objects change between this kind and what is stored, when more differs than `apiVersion`. */
  readonly storage?: {
    readonly toStored: (object: ApiObject) => ApiObject;
    readonly fromStored: (object: ApiObject) => ApiObject;
  };
  /**
   * Why an object does not fit the types of a kind that is built in: the message of a 400. To be asked of every object
   * that a client sends or a patch makes, before anything else looks at it. For these kinds the issues of a walk over
   * `schema` do not count: this, and the rules, say all there is to say.
   */
  readonly decodeIssue?: (object: JsonObject) => string | undefined;
  /** Whether an update may leave out the resourceVersion, and then wins over whatever is there. */
  readonly updatesUnconditionally?: boolean;
  /** Whether an update of an object that does not exist makes it. */
  readonly createsOnUpdate?: boolean;
  /** Told to whoever uses this version, with every answer. */
  readonly deprecationWarning?: string | undefined;
  /** Whether its definition is on its way out: no more objects are made. */
  readonly isEnding?: boolean;
  /** Whether a delete answers with the object in place of a Status. */
  readonly returnsDeleted?: boolean;
}

/** The part of an object that a write is for; empty for the object itself. */
export type WrittenPart = "" | "status" | "finalize" | "scale";

export type Verb = "create" | "delete" | "deletecollection" | "get" | "list" | "patch" | "update" | "watch";

/**
 * A column of `kubectl get`: by a path, or computed for kinds that are built in. Those list all of their columns, `Name`
 * among them; custom kinds only what follows the name.
 */
export type Column = PrinterColumn & {
  readonly read?: (object: ApiObject, nowMs: number) => string | number | boolean;
};

/** What a kind does on its way into the store. Every part may be left out. */
export interface KindRules {
  /** What an object has when nobody set anything of it: `{ spec: {} }` for most built-in kinds. */
  readonly blank?: () => JsonObject;
  /** An object as it is once read: in canonical form, defaults filled in. Of what a client sent or a patch made. */
  readonly read?: (object: ApiObject) => ApiObject;
  /** Changes a new object before it is checked, such as `stringData` of a Secret. */
  readonly prepareCreate?: (object: ApiObject) => ApiObject;
  /** The same for an update; `old` is what is stored, and the subresource is empty for the object itself. */
  readonly prepareUpdate?: (object: ApiObject, old: ApiObject, subresource?: WrittenPart) => ApiObject;
  /** An object that does not go at once when it is deleted, as it is after the first request to do so. */
  readonly prepareDelete?: (object: ApiObject, now: string) => ApiObject;
  /** What the schema cannot say. Undefined `old`: a create. */
  readonly validate?: (
    object: ApiObject,
    old: ApiObject | undefined,
    subresource?: WrittenPart,
  ) => readonly FieldIssue[];
  /** Things to tell the client about an object that is accepted, sent as Warning headers. */
  readonly warnings?: (object: ApiObject, old: ApiObject | undefined) => readonly string[];
  /** Fields that a selector reads in its own way; what a path gives otherwise. */
  readonly selectField?: (object: ApiObject, field: string) => string | undefined;
}
