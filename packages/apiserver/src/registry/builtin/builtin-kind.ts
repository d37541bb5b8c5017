import type { FieldIssue } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { dnsSubdomain, type NameRule } from "@milo-quota/kubernetes/protocol/names.ts";
import type { CompiledSchema } from "@milo-quota/kubernetes/schema/compiled-schema.ts";
import type { ApiObject } from "../kinds/api-object.ts";
import type { Column, KindRules, ServedKind, Verb, WrittenSubresource } from "../kinds/served-kind.ts";
import type { Scaling } from "../scale/scaling.ts";
import { decodeIssue } from "./typed/decode-issue.ts";
import { type DraftObject, roundTripThroughGoType } from "./typed/go-round-trip.ts";
import { structSchema } from "./typed/struct-schema.ts";

/** The definition of a built-in kind; `Kind` is the type that its rules read objects as. */
export interface BuiltinKindOptions<Kind> {
  /** Name of its Go struct: `core.v1.ConfigMap`. */
  readonly struct: string;
  readonly group: string;
  readonly plural: string;
  readonly scope: ServedKind["scope"];
  readonly columns: readonly Column[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly verbs?: readonly Verb[];
  readonly hasStatus?: boolean;
  readonly scale?: Scaling;
  readonly hasGeneration?: boolean;
  readonly nameRule?: NameRule;
  readonly selectableFields?: readonly string[];
  readonly storedAs?: string;
  readonly storage?: NonNullable<ServedKind["storage"]>;
  readonly updatesUnconditionally?: boolean;
  readonly createsOnUpdate?: boolean;
  readonly returnsDeleted?: boolean;
  /** Applies defaults; called for every write. */
  readonly defaults?: (draft: DraftObject) => void;
  /** Changes a new object, after its status was cleared. */
  readonly onCreate?: (draft: DraftObject) => void;
  readonly onUpdate?: (draft: DraftObject, old: Kind, part: WrittenSubresource | undefined) => void;
  readonly validate?: (object: Kind, old: Kind | undefined, part: WrittenSubresource) => readonly FieldIssue[];
  readonly selectField?: (object: Kind, field: string) => string | undefined;
}

export const allVerbs: readonly Verb[] = [
  "create",
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "update",
  "watch",
];

/** A built-in kind is served in one version; its schema is built on first use. */
export function builtinKind<Kind>(options: BuiltinKindOptions<Kind>): ServedKind {
  const kind = options.struct.slice(options.struct.lastIndexOf(".") + 1);
  return {
    group: options.group,
    version: "v1",
    kind,
    listKind: `${kind}List`,
    plural: options.plural,
    singular: kind.toLowerCase(),
    shortNames: options.shortNames ?? [],
    categories: options.categories ?? [],
    scope: options.scope,
    storageVersion: "v1",
    get schema(): CompiledSchema {
      return structSchema(options.struct);
    },
    isCustom: false,
    hasStatus: options.hasStatus ?? false,
    scale: options.scale,
    hasGeneration: options.hasGeneration ?? false,
    verbs: options.verbs ?? allVerbs,
    nameRule: options.nameRule ?? dnsSubdomain,
    columns: options.columns,
    selectableFields: options.selectableFields ?? [],
    rules: rulesOf(options),
    decodeIssue: (object) => decodeMessage(options.struct, kind, object),
    updatesUnconditionally: options.updatesUnconditionally ?? true,
    createsOnUpdate: options.createsOnUpdate ?? false,
    returnsDeleted: options.returnsDeleted ?? false,
    ...(options.storedAs === undefined ? {} : { storedAs: options.storedAs }),
    ...(options.storage === undefined ? {} : { storage: options.storage }),
  };
}

function rulesOf<Kind>(facts: BuiltinKindOptions<Kind>): KindRules {
  const { validate, selectField } = facts;
  let blank: JsonObject | undefined;
  return {
    blank: () => {
      blank ??= roundTripThroughGoType(facts.struct, {});
      return blank;
    },
    read: (object) => defaulted(facts, object),
    prepareCreate: (object) => preparedNew(facts, object),
    prepareUpdate: (object, old, part) => preparedChange(facts, object, old, part),
    ...(validate === undefined
      ? {}
      : { validate: (object, old, part = "") => validate(as<Kind>(object), asOld<Kind>(old), part) }),
    ...(selectField === undefined ? {} : { selectField: (object, field) => selectField(as<Kind>(object), field) }),
  };
}

function defaulted<Kind>(facts: BuiltinKindOptions<Kind>, object: ApiObject): ApiObject {
  const draft = roundTripThroughGoType(facts.struct, object);
  facts.defaults?.(draft);
  return draft as unknown as ApiObject;
}

function preparedNew<Kind>(facts: BuiltinKindOptions<Kind>, object: ApiObject): ApiObject {
  const bare: JsonObject = object;
  const draft = roundTripThroughGoType(facts.struct, facts.hasStatus === true ? { ...bare, status: {} } : bare);
  facts.defaults?.(draft);
  facts.onCreate?.(draft);
  return draft as unknown as ApiObject;
}

function preparedChange<Kind>(
  facts: BuiltinKindOptions<Kind>,
  object: ApiObject,
  old: ApiObject,
  part: WrittenSubresource | undefined,
): ApiObject {
  const draft = roundTripThroughGoType(facts.struct, object);
  facts.defaults?.(draft);
  facts.onUpdate?.(draft, as<Kind>(old), part);
  return draft as unknown as ApiObject;
}

function as<Kind>(object: ApiObject): Kind {
  return object as unknown as Kind;
}

function asOld<Kind>(object: ApiObject | undefined): Kind | undefined {
  return object as unknown as Kind | undefined;
}

/** The message of the 400 for an object that does not decode into its Go type. */
function decodeMessage(struct: string, kind: string, object: JsonObject): string | undefined {
  const issue = decodeIssue(struct, object);
  return issue === undefined ? undefined : `${kind} in version "v1" cannot be handled as a ${kind}: ${issue}`;
}
