import { type FieldIssue, forbidden, invalid, required } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { labelValue, qualifiedName } from "@milo-quota/kubernetes/protocol/names.ts";
import { parseFieldSelector } from "@milo-quota/kubernetes/protocol/selectors/field-selector.ts";
import { parseSelectorText } from "@milo-quota/kubernetes/protocol/selectors/label-selector-text.ts";
import { type FieldLocation, readObject, readObjects, readText, readTexts, within } from "./review-fields.ts";

/** The selector of the list or watch in question; RBAC ignores it, but it is validated. */
export interface ReviewSelector {
  readonly raw: string;
  readonly requirements: readonly Requirement[];
}

interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values: readonly string[];
}

export type SelectorKind = "field" | "label";

export function readSelector(
  resource: JsonObject,
  kind: SelectorKind,
  location: FieldLocation,
): ReviewSelector | undefined {
  const sent = readObject(resource, `${kind}Selector`, location);
  if (sent === undefined) return undefined;
  const at = within(location, `${kind}Selector`);
  const item = within(at, "requirements");
  return {
    raw: readText(sent, "rawSelector", at),
    requirements: readObjects(sent, "requirements", at).map((requirement) => ({
      key: readText(requirement, "key", item),
      operator: readText(requirement, "operator", item),
      values: readTexts(requirement, "values", item),
    })),
  };
}

export function selectorIssues(selector: ReviewSelector | undefined, kind: SelectorKind): readonly FieldIssue[] {
  if (selector === undefined) return [];
  const path = `spec.resourceAttributes.${kind}Selector`;
  const issues: FieldIssue[] = [];
  if (selector.raw !== "" && selector.requirements.length > 0) {
    issues.push(invalid(`${path}.rawSelector`, selector.raw, "may not specified at the same time as requirements"));
  }
  if (selector.raw === "" && selector.requirements.length === 0) {
    issues.push(required(`${path}.requirements`, `when ${path} is specified, requirements or rawSelector is required`));
  }
  const each = kind === "field" ? fieldIssues : labelIssues;
  return [...issues, ...selector.requirements.flatMap((one, index) => each(one, `${path}.requirements[${index}]`))];
}

function fieldIssues(requirement: Requirement, path: string): readonly FieldIssue[] {
  const key = requirement.key === "" ? [required(`${path}.key`, "must be specified")] : [];
  return [...key, ...countIssues(requirement, path)];
}

function labelIssues(requirement: Requirement, path: string): readonly FieldIssue[] {
  const { key, values } = requirement;
  return [
    ...countIssues(requirement, path),
    ...qualifiedName(key).map((problem) => invalid(`${path}.key`, key, problem)),
    ...values.flatMap((value, index) =>
      labelValue(value).map((problem) => invalid(`${path}.values[${index}]`, value, problem)),
    ),
  ];
}

/** An unknown operator may come from a newer version: it is ignored, not an error. */
function countIssues({ operator, values }: Requirement, path: string): readonly FieldIssue[] {
  if ((operator === "In" || operator === "NotIn") && values.length === 0) {
    return [required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
  }
  if ((operator === "Exists" || operator === "DoesNotExist") && values.length > 0) {
    return [forbidden(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
  }
  return [];
}

/** The evaluation error about a selector that could not be taken into account; undefined when it could. */
export function selectorProblem(selector: ReviewSelector | undefined, kind: SelectorKind): string | undefined {
  if (selector === undefined) return undefined;
  const path = `spec.resourceAttributes.${kind}Selector`;
  if (selector.raw !== "") {
    const parsed = kind === "field" ? parseFieldSelector(selector.raw) : parseSelectorText(selector.raw);
    return parsed.ok ? undefined : `${path} ignored due to parse error`;
  }
  const known = selector.requirements.filter((requirement) => isUnderstood(requirement, kind)).length;
  if (known === selector.requirements.length) return undefined;
  return `${path} ${known > 0 ? "partially " : ""}ignored due to parse error`;
}

function isUnderstood({ operator, values }: Requirement, kind: SelectorKind): boolean {
  if (operator === "In" || operator === "NotIn") return kind === "label" || values.length === 1;
  return kind === "label" && (operator === "Exists" || operator === "DoesNotExist");
}
