import { childPath, type FieldIssue, invalid, itemPath, notSupported, type Parsed } from "../field-issue.ts";
import { labelValue, qualifiedName } from "../names.ts";

export type Labels = Readonly<Record<string, string>>;

/** One requirement of a selector, as in the LabelSelector kind; the string form adds Gt and Lt. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist" | "Gt" | "Lt";
  readonly values: readonly string[];
}

/** All requirements must match; an empty list matches everything. Sorted, so that equal selectors have equal forms. */
export type LabelRequirements = readonly LabelRequirement[];

/** The LabelSelector kind. */
export interface LabelSelector {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}

const objectOperators = ["In", "NotIn", "Exists", "DoesNotExist"] as const;
type ObjectOperator = (typeof objectOperators)[number];

export function matchesLabels(requirements: LabelRequirements, labels: Labels): boolean {
  return requirements.every((requirement) => matchesRequirement(requirement, labels));
}

function matchesRequirement(requirement: LabelRequirement, labels: Labels): boolean {
  const value = Object.hasOwn(labels, requirement.key) ? labels[requirement.key] : undefined;
  switch (requirement.operator) {
    case "In":
      return value !== undefined && requirement.values.includes(value);
    case "NotIn":
      return value === undefined || !requirement.values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    case "Gt":
    case "Lt":
      return matchesOrder(requirement, value);
    default:
      throw new Error(`unknown operator ${requirement.operator satisfies never}`);
  }
}

function matchesOrder(requirement: LabelRequirement, value: string | undefined): boolean {
  const bound = integerOf(requirement.values[0]);
  const actual = integerOf(value);
  if (bound === undefined || actual === undefined) return false;
  return requirement.operator === "Gt" ? actual > bound : actual < bound;
}

export function integerOf(text: string | undefined): bigint | undefined {
  return text !== undefined && /^[-+]?[0-9]+$/.test(text) ? BigInt(text.replace(/^\+/, "")) : undefined;
}

/** Parses the object form. Reports all issues with their paths. */
export function parseLabelSelector(selector: LabelSelector, path: string): Parsed<LabelRequirements> {
  const issues = [...matchLabelsIssues(selector, path), ...matchExpressionsIssues(selector, path)];
  return issues.length > 0 ? { ok: false, issues } : { ok: true, value: selectorRequirements(selector) };
}

/** The requirements of the object form, if its operators are valid. */
export function selectorRequirements({ matchLabels = {}, matchExpressions = [] }: LabelSelector): LabelRequirements {
  const exact = Object.entries(matchLabels).map(([key, value]) => ({ key, operator: "In", values: [value] }) as const);
  const further = matchExpressions.map(({ key, operator, values = [] }) => ({
    key,
    operator: operator as ObjectOperator,
    values,
  }));
  return canonical([...exact, ...further]);
}

function matchLabelsIssues({ matchLabels = {} }: LabelSelector, path: string): FieldIssue[] {
  const at = childPath(path, "matchLabels");
  return Object.entries(matchLabels).flatMap(([key, value]) => [
    ...keyIssues(at, key),
    ...valueIssues(itemPath(at, key), value),
  ]);
}

function matchExpressionsIssues({ matchExpressions = [] }: LabelSelector, path: string): FieldIssue[] {
  return matchExpressions.flatMap(({ key, operator, values = [] }, index) =>
    expressionIssues(itemPath(childPath(path, "matchExpressions"), index), key, operator, values),
  );
}

function expressionIssues(at: string, key: string, operator: string, values: readonly string[]): FieldIssue[] {
  const valuesPath = childPath(at, "values");
  const issues = [...keyIssues(childPath(at, "key"), key)];
  switch (operator) {
    case "In":
    case "NotIn":
      if (values.length === 0) {
        issues.push(invalid(valuesPath, values, "for 'in', 'notin' operators, values set can't be empty"));
      }
      break;
    case "Exists":
    case "DoesNotExist":
      if (values.length > 0) {
        issues.push(invalid(valuesPath, values, "values set must be empty for exists and does not exist"));
      }
      break;
    default:
      issues.push(notSupported(childPath(at, "operator"), operator, objectOperators));
  }
  return [...issues, ...values.flatMap((value, index) => valueIssues(itemPath(valuesPath, index), value))];
}

function keyIssues(path: string, key: string): FieldIssue[] {
  const issues = qualifiedName(key);
  return issues.length === 0 ? [] : [invalid(path, key, issues.join("; "))];
}

function valueIssues(path: string, value: string): FieldIssue[] {
  const issues = labelValue(value);
  return issues.length === 0 ? [] : [invalid(path, value, issues.join("; "))];
}

/** Sorted by key, with sorted and unique values. */
export function canonical(requirements: LabelRequirements): LabelRequirements {
  return requirements
    .map((requirement) => ({ ...requirement, values: [...new Set(requirement.values)].sort() }))
    .sort((left, right) => compareText(selectorPart(left), selectorPart(right)));
}

/** The string form: `env in (prod,staging),!legacy`. */
export function formatSelector(requirements: LabelRequirements): string {
  return requirements.map(selectorPart).join(",");
}

function selectorPart({ key, operator, values }: LabelRequirement): string {
  switch (operator) {
    case "In":
      return values.length === 1 ? `${key}=${values[0]}` : `${key} in (${values.join(",")})`;
    case "NotIn":
      return values.length === 1 ? `${key}!=${values[0]}` : `${key} notin (${values.join(",")})`;
    case "Exists":
      return key;
    case "DoesNotExist":
      return `!${key}`;
    case "Gt":
      return `${key}>${values[0]}`;
    case "Lt":
      return `${key}<${values[0]}`;
    default:
      throw new Error(`unknown operator ${operator satisfies never}`);
  }
}

function compareText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
