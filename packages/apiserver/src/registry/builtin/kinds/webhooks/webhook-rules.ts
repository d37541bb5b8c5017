import {
  childPath,
  duplicate,
  type FieldIssue,
  invalid,
  itemPath,
  notSupported,
  required,
  tooMany,
} from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { dnsSubdomain, qualifiedName } from "@milo-quota/kubernetes/protocol/names.ts";
import type { LabelSelector } from "@milo-quota/kubernetes/protocol/selectors/label-selector.ts";
import { issueUnless, nameRuleIssues } from "../../field-checks.ts";
import { labelSelectorIssues } from "../../label-selector-rules.ts";
import { dns1035Label } from "../../name-rules.ts";
import { type ClientConfig, clientConfigIssues } from "./webhook-client-rules.ts";
import { type RuleWithOperations, ruleIssues } from "./webhook-match-rules.ts";

interface Webhook {
  readonly name: string;
  readonly clientConfig: ClientConfig;
  readonly rules?: readonly RuleWithOperations[];
  readonly failurePolicy?: string;
  readonly matchPolicy?: string;
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  readonly sideEffects?: string | null;
  readonly timeoutSeconds?: number;
  readonly admissionReviewVersions: readonly string[] | null;
  readonly reinvocationPolicy?: string;
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[];
}

export interface WebhookConfiguration {
  readonly webhooks?: readonly Webhook[];
}

const acceptedVersions = ["v1", "v1beta1"];
const conditionsMax = 64;

export function webhookIssues({ webhooks = [] }: WebhookConfiguration): readonly FieldIssue[] {
  return webhooks.flatMap((webhook, index) => {
    const path = itemPath("webhooks", index);
    const isRepeated = webhooks.slice(0, index).some(({ name }) => name === webhook.name);
    return [
      ...oneWebhookIssues(webhook, path),
      ...versionIssues(webhook.admissionReviewVersions ?? [], childPath(path, "admissionReviewVersions")),
      ...(webhook.name !== "" && isRepeated ? [duplicate(childPath(path, "name"), webhook.name)] : []),
    ];
  });
}

function oneWebhookIssues(webhook: Webhook, path: string): readonly FieldIssue[] {
  const { rules = [], matchConditions = [], timeoutSeconds = 10 } = webhook;
  return [
    ...nameIssues(webhook.name, childPath(path, "name")),
    ...rules.flatMap((rule, index) => ruleIssues(rule, itemPath(childPath(path, "rules"), index))),
    ...choiceIssues(childPath(path, "failurePolicy"), webhook.failurePolicy, ["Fail", "Ignore"]),
    ...choiceIssues(childPath(path, "matchPolicy"), webhook.matchPolicy, ["Equivalent", "Exact"]),
    ...sideEffectIssues(webhook.sideEffects, childPath(path, "sideEffects")),
    ...issueUnless(timeoutSeconds >= 1 && timeoutSeconds <= 30, () =>
      invalid(childPath(path, "timeoutSeconds"), timeoutSeconds, "the timeout value must be between 1 and 30 seconds"),
    ),
    ...selectorIssues(webhook.namespaceSelector, childPath(path, "namespaceSelector")),
    ...selectorIssues(webhook.objectSelector, childPath(path, "objectSelector")),
    ...choiceIssues(childPath(path, "reinvocationPolicy"), webhook.reinvocationPolicy, ["IfNeeded", "Never"]),
    ...clientConfigIssues(webhook.clientConfig, childPath(path, "clientConfig")),
    ...conditionIssues(matchConditions, childPath(path, "matchConditions")),
  ];
}

/** The name of a webhook must be fully qualified. */
function nameIssues(name: string, path: string): readonly FieldIssue[] {
  if (name === "") return [required(path)];
  const faults = dnsSubdomain(name);
  if (faults.length > 0) return [invalid(path, name, faults.join(","))];
  return issueUnless(name.split(".").length >= 3, () =>
    invalid(path, name, "should be a domain with at least three segments separated by dots"),
  );
}

function choiceIssues(path: string, value: string | undefined, choices: readonly string[]): readonly FieldIssue[] {
  return issueUnless(value === undefined || choices.includes(value), () => notSupported(path, value, choices));
}

function sideEffectIssues(sideEffects: string | null | undefined, path: string): readonly FieldIssue[] {
  const classes = ["None", "NoneOnDryRun"];
  if (sideEffects === undefined || sideEffects === null) {
    return [required(path, `must specify one of ${classes.join(", ")}`)];
  }
  return issueUnless(classes.includes(sideEffects), () => notSupported(path, sideEffects, classes));
}

function selectorIssues(selector: LabelSelector | undefined, path: string): readonly FieldIssue[] {
  return labelSelectorIssues(selector ?? {}, path);
}

function versionIssues(versions: readonly string[], path: string): readonly FieldIssue[] {
  const accepted = acceptedVersions.join(", ");
  if (versions.length === 0) return [required(path, `must specify one of ${accepted}`)];
  return [
    ...versions.flatMap((version, index) =>
      versions.indexOf(version) < index
        ? [invalid(itemPath(path, index), version, "duplicate version")]
        : nameRuleIssues(itemPath(path, index), version, dns1035Label),
    ),
    ...issueUnless(
      versions.some((version) => acceptedVersions.includes(version)),
      () => invalid(path, versions, `must include at least one of ${accepted}`),
    ),
  ];
}

function conditionIssues(
  conditions: readonly { readonly name: string; readonly expression: string }[],
  path: string,
): readonly FieldIssue[] {
  return [
    ...issueUnless(conditions.length <= conditionsMax, () => tooMany(path, conditions.length, conditionsMax)),
    ...conditions.flatMap(({ name, expression }, index) => {
      const at = itemPath(path, index);
      const isRepeated = conditions.slice(0, index).some((earlier) => earlier.name === name);
      return [
        ...issueUnless(expression.trim() !== "", () => required(childPath(at, "expression"))),
        ...(name === ""
          ? [required(childPath(at, "name"))]
          : nameRuleIssues(childPath(at, "name"), name, qualifiedName)),
        ...(name !== "" && isRepeated ? [duplicate(childPath(at, "name"), name)] : []),
      ];
    }),
  ];
}
