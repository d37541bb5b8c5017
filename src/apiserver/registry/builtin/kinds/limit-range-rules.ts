import {
  childPath,
  duplicate,
  type FieldIssue,
  forbidden,
  invalid,
  itemPath,
  required,
} from "../../../../protocol/field-issue.ts";
import { qualifiedName } from "../../../../protocol/names.ts";
import { nameFaults, unless } from "../field-checks.ts";
import {
  containerResourceIssues,
  mayOvercommit,
  nanosOf,
  type ResourceList,
  resourceNameIssues,
} from "../resource-names.ts";
import { inner, innerMade, itemsOf } from "../typed/draft.ts";
import type { DraftObject } from "../typed/json-shape.ts";

interface LimitRangeItem {
  readonly type: string;
  readonly min?: ResourceList;
  readonly max?: ResourceList;
  readonly default?: ResourceList;
  readonly defaultRequest?: ResourceList;
  readonly maxLimitRequestRatio?: ResourceList;
}

export interface LimitRange {
  readonly spec: { readonly limits: readonly LimitRangeItem[] | null };
}

const lists = ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"] as const;
const nanosPerUnit = 1_000_000_000n;

/** Containers get the maximum as their limit, and their limit or the minimum as their request. */
export function fillLimits(draft: DraftObject): void {
  for (const item of itemsOf(inner(draft, "spec"), "limits")) {
    if (item["type"] !== "Container") continue;
    fillFrom(item, "default", "max");
    fillFrom(item, "defaultRequest", "default");
    fillFrom(item, "defaultRequest", "min");
  }
}

function fillFrom(item: DraftObject, field: string, source: string): void {
  for (const [name, amount] of Object.entries(inner(item, source) ?? {})) innerMade(item, field)[name] ??= amount;
}

export function limitRangeIssues({ spec }: LimitRange): readonly FieldIssue[] {
  const limits = spec.limits ?? [];
  return limits.flatMap((item, index) => {
    const path = itemPath("spec.limits", index);
    const isRepeated = limits.findIndex(({ type }) => type === item.type) < index;
    return [
      ...typeIssues(item.type, childPath(path, "type")),
      ...(isRepeated ? [duplicate(childPath(path, "type"), item.type)] : []),
      ...nameIssues(item, path),
      ...placeIssues(item, path),
      ...amountsIssues(item, path),
    ];
  });
}

function typeIssues(type: string, path: string): readonly FieldIssue[] {
  const faults = nameFaults(path, type, qualifiedName);
  const isKnown = type.includes("/") || ["Pod", "Container", "PersistentVolumeClaim"].includes(type);
  if (faults.length > 0 || isKnown) return faults;
  return [invalid(path, type, "must be a standard limit type or fully qualified")];
}

function nameIssues(item: LimitRangeItem, path: string): readonly FieldIssue[] {
  const isOfPods = item.type === "Pod" || item.type === "Container";
  const checked = item.type === "Pod" ? lists.filter((list) => !list.startsWith("default")) : lists;
  return checked.flatMap((list) =>
    Object.keys(item[list] ?? {}).flatMap((name) => {
      const at = itemPath(childPath(path, list), name);
      return isOfPods ? containerResourceIssues(name, at) : resourceNameIssues(name, at);
    }),
  );
}

function placeIssues(item: LimitRangeItem, path: string): readonly FieldIssue[] {
  if (item.type === "Pod") {
    const given = (["default", "defaultRequest"] as const).filter((list) => Object.keys(item[list] ?? {}).length > 0);
    return given.map((list) => forbidden(childPath(path, list), "may not be specified when `type` is 'Pod'"));
  }
  const hasStorage = item.min?.["storage"] !== undefined || item.max?.["storage"] !== undefined;
  return unless(item.type !== "PersistentVolumeClaim" || hasStorage, () =>
    required(
      childPath(path, "limits"),
      "either minimum or maximum storage value is required, but neither was provided",
    ),
  );
}

function amountsIssues(item: LimitRangeItem, path: string): readonly FieldIssue[] {
  const names = new Set(lists.flatMap((list) => Object.keys(item[list] ?? {})));
  return [...names].flatMap((name) => [...orderIssues(item, name, path), ...ratioIssues(item, name, path)]);
}

/** Pairs that must be in order: the smaller, the larger, where it is told, what the two are called. */
const orders = [
  ["min", "max", "min", "min value", "max value", "smaller"],
  ["min", "defaultRequest", "defaultRequest", "min value", "default request value", "larger"],
  ["defaultRequest", "max", "defaultRequest", "default request value", "max value", "smaller"],
  ["defaultRequest", "default", "defaultRequest", "default request value", "default limit value", "smaller"],
  ["min", "default", "default", "min value", "default value", "smaller"],
  ["default", "max", "default", "default value", "max value", "larger"],
] as const;

function orderIssues(item: LimitRangeItem, name: string, path: string): readonly FieldIssue[] {
  const hasDefaults = item.type !== "Pod";
  return orders.flatMap(([small, large, told, smallWords, largeWords, shown]) => {
    const least = item[small]?.[name];
    const most = item[large]?.[name];
    const isOfDefaults = small.startsWith("default") || large.startsWith("default");
    if (least === undefined || most === undefined || (isOfDefaults && !hasDefaults)) return [];
    const at = itemPath(childPath(path, told), name);
    const fault = `${smallWords} ${least} is greater than ${largeWords} ${most}`;
    return nanosOf(least) > nanosOf(most) ? [invalid(at, shown === "smaller" ? least : most, fault)] : [];
  });
}

function ratioIssues(item: LimitRangeItem, name: string, path: string): readonly FieldIssue[] {
  const ratio = item.maxLimitRequestRatio?.[name];
  const { [name]: request } = item.defaultRequest ?? {};
  const { [name]: limit } = item.default ?? {};
  const mustMatch = !mayOvercommit(name) && item.type !== "Pod" && request !== undefined && limit !== undefined;
  return [
    ...(ratio === undefined
      ? []
      : boundIssues(item, name, ratio, itemPath(childPath(path, "maxLimitRequestRatio"), name))),
    ...(mustMatch && nanosOf(request) !== nanosOf(limit)
      ? [
          invalid(
            itemPath(childPath(path, "defaultRequest"), name),
            request,
            `default value ${limit} must equal to defaultRequest value ${request} in ${name}`,
          ),
        ]
      : []),
  ];
}

function boundIssues(item: LimitRangeItem, name: string, ratio: string, at: string): readonly FieldIssue[] {
  const min = item.min?.[name];
  const max = item.max?.[name];
  const bound = min === undefined || max === undefined ? undefined : Number(nanosOf(max)) / Number(nanosOf(min));
  return [
    ...unless(nanosOf(ratio) >= nanosPerUnit, () => invalid(at, ratio, `ratio ${ratio} is less than 1`)),
    ...(bound !== undefined && Number(nanosOf(ratio)) / Number(nanosPerUnit) > bound
      ? [invalid(at, ratio, `ratio ${ratio} is greater than max/min = ${bound.toFixed(6)}`)]
      : []),
  ];
}
