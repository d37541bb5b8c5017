import type { FieldIssue } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { dnsSubdomain, type NameRule } from "@milo-quota/kubernetes/protocol/names.ts";
import type { CompiledSchema } from "@milo-quota/kubernetes/schema/compiled-schema.ts";
import type { ApiObject } from "../kinds/api-object.ts";
import type { Column, KindRules, ServedKind, Verb, WrittenPart } from "../kinds/served-kind.ts";
import type { Scaling } from "../scale/scaling.ts";
import { decodeIssue } from "./typed/decode-issue.ts";
import { type DraftObject, jsonShape } from "./typed/json-shape.ts";
import { structSchema } from "./typed/struct-schema.ts";

/** What makes a kind that is built in; `Kind` is the type that its rules read objects as. */
export interface BuiltinFacts<Kind> {
  /** Its name in the table of definitions: `core.v1.ConfigMap`. */
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
  /** Fills in what was left out; called for every write. */
  readonly defaults?: (draft: DraftObject) => void;
  /** Changes a new object; its status is gone already. */
  readonly onCreate?: (draft: DraftObject) => void;
  readonly onUpdate?: (draft: DraftObject, old: Kind, part: WrittenPart | undefined) => void;
  readonly validate?: (object: Kind, old: Kind | undefined, part: WrittenPart) => readonly FieldIssue[];
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

/** A built-in kind is served in one version, and nothing of its schema is made before it is needed. */
export function builtinKind<Kind>(facts: BuiltinFacts<Kind>): ServedKind {
  const kind = facts.struct.slice(facts.struct.lastIndexOf(".") + 1);
  return {
    group: facts.group,
    version: "v1",
    kind,
    listKind: `${kind}List`,
    plural: facts.plural,
    singular: kind.toLowerCase(),
    shortNames: facts.shortNames ?? [],
    categories: facts.categories ?? [],
    scope: facts.scope,
    storageVersion: "v1",
    get schema(): CompiledSchema {
      return structSchema(facts.struct);
    },
    isCustom: false,
    hasStatus: facts.hasStatus ?? false,
    scale: facts.scale,
    hasGeneration: facts.hasGeneration ?? false,
    verbs: facts.verbs ?? allVerbs,
    nameRule: facts.nameRule ?? dnsSubdomain,
    columns: facts.columns,
    selectableFields: facts.selectableFields ?? [],
    rules: rulesOf(facts),
    decodeIssue: (object) => decodeMessage(facts.struct, kind, object),
    updatesUnconditionally: facts.updatesUnconditionally ?? true,
    createsOnUpdate: facts.createsOnUpdate ?? false,
    returnsDeleted: facts.returnsDeleted ?? false,
    ...(facts.storedAs === undefined ? {} : { storedAs: facts.storedAs }),
    ...(facts.storage === undefined ? {} : { storage: facts.storage }),
  };
}

function rulesOf<Kind>(facts: BuiltinFacts<Kind>): KindRules {
  const { validate, selectField } = facts;
  let blank: JsonObject | undefined;
  return {
    blank: () => {
      blank ??= jsonShape(facts.struct, {});
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

function defaulted<Kind>(facts: BuiltinFacts<Kind>, object: ApiObject): ApiObject {
  const draft = jsonShape(facts.struct, object);
  facts.defaults?.(draft);
  return draft as unknown as ApiObject;
}

function preparedNew<Kind>(facts: BuiltinFacts<Kind>, object: ApiObject): ApiObject {
  const bare: JsonObject = object;
  const draft = jsonShape(facts.struct, facts.hasStatus === true ? { ...bare, status: {} } : bare);
  facts.defaults?.(draft);
  facts.onCreate?.(draft);
  return draft as unknown as ApiObject;
}

function preparedChange<Kind>(
  facts: BuiltinFacts<Kind>,
  object: ApiObject,
  old: ApiObject,
  part: WrittenPart | undefined,
): ApiObject {
  const draft = jsonShape(facts.struct, object);
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

/** The message of the 400 that answers an object which does not fit the types of its kind. */
function decodeMessage(struct: string, kind: string, object: JsonObject): string | undefined {
  const issue = decodeIssue(struct, object);
  return issue === undefined ? undefined : `${kind} in version "v1" cannot be handled as a ${kind}: ${issue}`;
}
