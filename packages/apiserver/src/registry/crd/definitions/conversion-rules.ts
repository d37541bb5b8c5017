import { type FieldIssue, forbidden, notSupported, required } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { subschema, textOf, textsOf } from "../schemas/raw-schema.ts";

const strategies = ["None", "Webhook"];

/** Conversion between versions; only strategy None is supported. */
export function conversionIssues(conversion: JsonObject | undefined): readonly FieldIssue[] {
  if (conversion === undefined) return [];
  const strategy = textOf(conversion, "strategy");
  if (strategy === "") return [required("spec.conversion.strategy")];
  if (strategy === "Webhook") {
    const fault =
      "conversion webhooks are not supported by this server: versions may differ in apiVersion only, use None";
    return [forbidden("spec.conversion.strategy", fault)];
  }
  return [
    ...(strategies.includes(strategy) ? [] : [notSupported("spec.conversion.strategy", strategy, strategies)]),
    ...webhookIssues(subschema(conversion, "webhook") ?? {}),
  ];
}

function webhookIssues(webhook: JsonObject): readonly FieldIssue[] {
  const fault = "should not be set when strategy is not set to Webhook";
  return [
    ...(subschema(webhook, "clientConfig") === undefined
      ? []
      : [forbidden("spec.conversion.webhookClientConfig", fault)]),
    ...(textsOf(webhook, "conversionReviewVersions").length === 0
      ? []
      : [forbidden("spec.conversion.conversionReviewVersions", fault)]),
  ];
}
