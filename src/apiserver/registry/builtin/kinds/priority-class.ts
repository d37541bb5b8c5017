import { type FieldIssue, forbidden, notSupported, required } from "../../../../protocol/field-issue.ts";
import type { ObjectMeta } from "../../../../protocol/object-meta.ts";
import { builtinKind } from "../builtin-kind.ts";
import { ageColumn, nameColumn, textColumn, typed } from "../columns.ts";
import { immutable, unless } from "../field-checks.ts";
import { fallback } from "../typed/draft.ts";

interface PriorityClass {
  readonly metadata: ObjectMeta;
  readonly value: number;
  readonly globalDefault?: boolean;
  readonly preemptionPolicy?: string;
}

const systemPrefix = "system-";
const userValueMax = 1_000_000_000;
const systemClasses: Readonly<Record<string, number>> = {
  "system-node-critical": 2_000_001_000,
  "system-cluster-critical": 2_000_000_000,
};

export const priorityClass = builtinKind<PriorityClass>({
  struct: "scheduling.v1.PriorityClass",
  group: "scheduling.k8s.io",
  plural: "priorityclasses",
  shortNames: ["pc"],
  scope: "Cluster",
  hasGeneration: true,
  columns: [
    nameColumn,
    { name: "Value", type: "integer", jsonPath: ".value", read: typed<PriorityClass>(({ value }) => value) },
    {
      name: "Global-Default",
      type: "boolean",
      jsonPath: ".globalDefault",
      read: typed<PriorityClass>(({ globalDefault = false }) => globalDefault),
    },
    ageColumn,
    textColumn(
      "PreemptionPolicy",
      typed<PriorityClass>(({ preemptionPolicy = "" }) => preemptionPolicy),
    ),
  ],
  defaults: (draft) => fallback(draft, "preemptionPolicy", "PreemptLowerPriority"),
  validate: (object, old) => (old === undefined ? newIssues(object) : changeIssues(object, old)),
});

function newIssues(object: PriorityClass): readonly FieldIssue[] {
  const policies = ["PreemptLowerPriority", "Never"];
  const { preemptionPolicy = "" } = object;
  return [
    ...(object.metadata.name?.startsWith(systemPrefix) ? systemIssues(object) : valueIssues(object)),
    ...(preemptionPolicy === ""
      ? [required("preemptionPolicy")]
      : unless(policies.includes(preemptionPolicy), () =>
          notSupported("preemptionPolicy", preemptionPolicy, policies),
        )),
  ];
}

function valueIssues({ value }: PriorityClass): readonly FieldIssue[] {
  return unless(value <= userValueMax, () =>
    forbidden("value", `maximum allowed value of a user defined priority is ${userValueMax}`),
  );
}

function systemIssues({ metadata: { name = "" }, value, globalDefault = false }: PriorityClass): readonly FieldIssue[] {
  const fault = systemFault(name, value, globalDefault);
  if (fault === undefined) return [];
  const reserved = `priority class names with '${systemPrefix}' prefix are reserved for system use only. error: ${fault}`;
  return [forbidden("metadata.name", reserved)];
}

function systemFault(name: string, value: number, globalDefault: boolean): string | undefined {
  const known = Object.hasOwn(systemClasses, name) ? systemClasses[name] : undefined;
  if (known === undefined) return `${name} is not a known system priority class`;
  if (value !== known) return `value of ${name} PriorityClass must be ${known}`;
  return globalDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}

function changeIssues(object: PriorityClass, old: PriorityClass): readonly FieldIssue[] {
  return [
    ...unless(object.value === old.value, () => forbidden("value", "may not be changed in an update.")),
    ...immutable("preemptionPolicy", object.preemptionPolicy, old.preemptionPolicy),
  ];
}
