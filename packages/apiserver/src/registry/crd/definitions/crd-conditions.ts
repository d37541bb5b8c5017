import {
  type Condition,
  type ConditionState,
  findCondition,
  setCondition,
} from "@milo-quota/kubernetes/protocol/condition.ts";
import { quote } from "@milo-quota/kubernetes/protocol/go-quote.ts";
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  jsonEquals,
  ownValue,
} from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ApiObject } from "../../kinds/api-object.ts";
import { type DefinitionNames, readDefinition } from "./definition.ts";

/** Names in use in one group of one plane. */
export interface TakenNames {
  /** Plurals, singulars and short names. */
  readonly resources: ReadonlySet<string>;
  /** Kinds and the kinds of their lists. */
  readonly kinds: ReadonlySet<string>;
}

/**
 * The status a definition should have: accepted names and whether it is established. `inPlane` are all definitions of
 * its plane, including itself, read only when a name is new; `builtin` has the names of built-in kinds of its group.
 * Returns the same object when nothing changes.
 */
export function definitionStatus(
  crd: ApiObject,
  inPlane: Iterable<ApiObject>,
  builtin: TakenNames,
  now: string,
): JsonObject {
  const given = ownValue(crd, "status");
  const status = isJsonObject(given) ? given : {};
  const { group, names, acceptedNames } = readDefinition(crd);
  const before = conditionsOf(status);
  const naming = sameNames(names, acceptedNames)
    ? { accepted: acceptedNames, conditions: before }
    : named(names, acceptedNames, before, { taken: takenIn(group, inPlane, builtin), now });
  const conditions = established(naming.conditions, now);
  const written = writtenNames(naming.accepted);
  if (conditions === before && jsonEquals(written, writtenNames(acceptedNames))) return status;
  return { ...status, acceptedNames: written, conditions: conditions as unknown as JsonValue };
}

/** The accepted names of all definitions of a group, and of built-in kinds. */
function takenIn(group: string, inPlane: Iterable<ApiObject>, builtin: TakenNames): TakenNames {
  const accepted = [...inPlane]
    .map(readDefinition)
    .filter((definition) => definition.group === group)
    .map((definition) => definition.acceptedNames);
  return {
    resources: new Set([
      ...builtin.resources,
      ...accepted.flatMap(({ plural, singular, shortNames }) => [plural, singular, ...shortNames]),
    ]),
    kinds: new Set([...builtin.kinds, ...accepted.flatMap(({ kind, listKind }) => [kind, listKind])]),
  };
}

interface Naming {
  readonly accepted: DefinitionNames;
  readonly conditions: readonly Condition[];
}

/** Every free name is accepted, even if others are not; the last conflict is reported. */
function named(
  wanted: DefinitionNames,
  had: DefinitionNames,
  before: readonly Condition[],
  { taken, now }: { readonly taken: TakenNames; readonly now: string },
): Naming {
  const conflicts: { readonly reason: string; readonly message: string }[] = [];
  const give = (
    field: "plural" | "singular" | "kind" | "listKind",
    used: ReadonlySet<string>,
    what: string,
  ): string => {
    if (wanted[field] === had[field] || !used.has(wanted[field])) return wanted[field];
    conflicts.push({ reason: `${what}Conflict`, message: inUse(wanted[field]) });
    return had[field];
  };
  const plural = give("plural", taken.resources, "Plural");
  const singular = give("singular", taken.resources, "Singular");
  const clashing = wanted.shortNames.filter((name) => !had.shortNames.includes(name) && taken.resources.has(name));
  if (clashing.length > 0) conflicts.push({ reason: "ShortNamesConflict", message: aggregate(clashing.map(inUse)) });
  const shortNames = clashing.length > 0 ? had.shortNames : wanted.shortNames;
  const kind = give("kind", taken.kinds, "Kind");
  const listKind = give("listKind", taken.kinds, "ListKind");
  const accepted = { plural, singular, shortNames, kind, listKind, categories: wanted.categories };
  return { accepted, conditions: namingConditions(before, conflicts.at(-1), now) };
}

function inUse(name: string): string {
  return `${quote(name)} is already in use`;
}

function aggregate(messages: readonly string[]): string {
  return messages.length === 1 ? (messages[0] as string) : `[${messages.join(", ")}]`;
}

function namingConditions(
  before: readonly Condition[],
  conflict: { readonly reason: string; readonly message: string } | undefined,
  now: string,
): readonly Condition[] {
  const naming: ConditionState =
    conflict === undefined
      ? { type: "NamesAccepted", status: "True", reason: "NoConflicts", message: "no conflicts found" }
      : { type: "NamesAccepted", status: "False", ...conflict };
  const conditions = setCondition(before, naming, now);
  if (findCondition(conditions, "Established") !== undefined) return conditions;
  const refused = { reason: "NotAccepted", message: "not all names are accepted" };
  return setCondition(conditions, { type: "Established", status: "False", ...refused }, now);
}

/** A definition stays established once its names were accepted. */
function established(conditions: readonly Condition[], now: string): readonly Condition[] {
  const isNamed = findCondition(conditions, "NamesAccepted")?.status === "True";
  if (!isNamed || findCondition(conditions, "Established")?.status === "True") return conditions;
  const because = { reason: "InitialNamesAccepted", message: "the initial names have been accepted" };
  return setCondition(conditions, { type: "Established", status: "True", ...because }, now);
}

export function conditionsOf(status: JsonObject): readonly Condition[] {
  const conditions = ownValue(status, "conditions");
  return Array.isArray(conditions) ? (conditions.filter(isJsonObject) as unknown as readonly Condition[]) : [];
}

function sameNames(left: DefinitionNames, right: DefinitionNames): boolean {
  return jsonEquals(writtenNames(left), writtenNames(right));
}

/** Names in status; plural and kind are included even if empty. */
function writtenNames({ plural, singular, shortNames, kind, listKind, categories }: DefinitionNames): JsonObject {
  return {
    plural,
    ...(singular === "" ? {} : { singular }),
    ...(shortNames.length === 0 ? {} : { shortNames }),
    kind,
    ...(listKind === "" ? {} : { listKind }),
    ...(categories.length === 0 ? {} : { categories }),
  };
}
